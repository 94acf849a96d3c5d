// hostile: eval by hexadecimal escapes in a string
globalThis["\x65\x76\x61\x6c"]("\x31\x2b\x31");

// hostile: files, through whichever runtime is there
var read = typeof Deno !== "undefined" ? Deno.readTextFileSync : Bun.file;
read("/etc/passwd");

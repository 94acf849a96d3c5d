// hostile: eval, spelled with unicode escapes
\u0065val("1 + 1");

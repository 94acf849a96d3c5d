// hostile: a static import
import { readFileSync } from "fs";
readFileSync("/etc/passwd", "utf8");

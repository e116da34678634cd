export { type ConsoleAnswer, type ConsoleRequest, type ConsoleSite, consoleSite } from "./site.ts";

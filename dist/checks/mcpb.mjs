// Prints what a bundle starts on each system that it is for, by the resolver of the official package: system, command, arguments,
// separated by tabs. Usage: node mcpb.mjs BUNDLE FOLDER...
import fs from "node:fs";
import { getMcpConfigForManifest } from "@anthropic-ai/mcpb";

const [bundle, ...directories] = process.argv.slice(2);
const manifest = JSON.parse(fs.readFileSync(`${bundle}/manifest.json`, "utf8"));
const home = "/home/user";
const systemDirs = { HOME: home, DESKTOP: `${home}/Desktop`, DOCUMENTS: `${home}/Documents`, DOWNLOADS: `${home}/Downloads` };
const resolve = (userConfig) =>
  getMcpConfigForManifest({ manifest, extensionPath: bundle, systemDirs, userConfig, pathSeparator: "/" });

for (const system of manifest.compatibility.platforms) {
  Object.defineProperty(process, "platform", { value: system });
  const { command, args } = await resolve({ directories });
  console.log([system, command, args.join(" ")].join("\t"));
  if (await resolve({})) throw new Error(`${system}: starts before a folder was picked`);
}

#!/usr/bin/env node
// Starts the program for this platform. Its streams are this process's own: nothing is read, changed or delayed on the way.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const systems = { linux: `linux-${process.arch}`, win32: "win32", darwin: "darwin" };
const file = process.platform === "win32" ? "filewright.exe" : "filewright";

function find() {
  const name = `filewright-${systems[process.platform] ?? process.platform}`;
  try {
    return require.resolve(`${name}/bin/${file}`);
  } catch {
    process.stderr.write(
      `filewright: the package ${name} with the program for ${process.platform} on ${process.arch} is not installed; ` +
        "npm leaves it out under --omit=optional, and there are linux-x64, linux-arm64, win32 and darwin\n",
    );
    process.exit(1);
  }
}

const child = spawn(find(), process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
  process.stderr.write(`filewright: ${error.message}\n`);
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));

#!/usr/bin/env node
// Tells the daemon something over its Unix socket, asks about it, and sets a reminder. Needs nothing but Node.
//
//   deploy/examples/tell_and_ask.mjs [SCOPE]
import http from "node:http";
import { createInterface } from "node:readline";

const scope = process.argv[2] ?? "kim";
const socketPath = process.env.CLAUDEMEM_SOCKET ?? "/run/claudemem-edge/api.sock";

/** Yield the JSON objects of an answer as they come; throws the daemon's own sentence when it refuses. */
async function* lines(method, path, body) {
  const reply = await new Promise((resolve, reject) => {
    const headers = { "Content-Type": "application/json" };
    http.request({ socketPath, method, path: `/memory/${scope}${path}`, headers }, resolve)
      .on("error", reject)
      .end(body && JSON.stringify(body));
  });
  for await (const line of createInterface({ input: reply })) {
    const row = JSON.parse(line);
    if (row.error) throw new Error(`${row.error.text} ${row.error.hint}`.trim());
    yield row;
  }
}

for await (const learned of lines("POST", "/observe", { text: "My doctor put me on amlodipine 5 mg." })) {
  console.log("learned:", learned.changed.map((change) => `${change.kind} ${change.record}`).join(", "));
}
for await (const event of lines("POST", "/say", { text: "Which medicine do I take?" })) {
  if (event.event === "delta") process.stdout.write(event.text);
  if (event.event === "final") console.log("\nthe model had read:", event.context.text);
}
const reminder = "Remind me tomorrow at 10 am to measure my blood pressure.";
for await (const said of lines("POST", "/say", { text: reminder, stream: false })) console.log(said.text);
for await (const { items } of lines("GET", "/pending")) {
  for (const item of items) console.log(item.id, item.due, item.text);
}

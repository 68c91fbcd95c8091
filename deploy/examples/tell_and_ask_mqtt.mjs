#!/usr/bin/env node
// Tells the daemon something over MQTT, asks about it, and prints the answer as it comes. Needs `npm install mqtt`.
//
//   deploy/examples/tell_and_ask_mqtt.mjs [SCOPE]
import { randomUUID } from "node:crypto";
import mqtt from "mqtt";

const scope = process.argv[2] ?? "kim";
const base = `claudemem/${process.env.MQTT_INSTANCE ?? "home"}`;
const broker = `mqtt://${process.env.MQTT_HOST ?? "127.0.0.1"}:${process.env.MQTT_PORT ?? 1883}`;
const patienceMs = 60_000;

const client = await mqtt.connectAsync(broker);
await client.subscribeAsync([`${base}/chat/${scope}/#`, `${base}/memory/${scope}/#`], { qos: 1 });

/** Send a request and return its reply, which comes on the level `ends` under the same id; print what comes before. */
function ask(kind, ends, body) {
  const [first, last] = kind.split("/");
  const id = randomUUID();
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error("no reply: does the daemon run, with MQTT?")), patienceMs);
    const hear = (topic, payload) => {
      const level = topic.slice(topic.lastIndexOf("/") + 1);
      if (level === last) return; // our own request
      const news = JSON.parse(payload);
      if (news.id !== id) return;
      if (level === "delta") process.stdout.write(news.text);
      if (level !== ends) return;
      clearTimeout(late);
      client.off("message", hear);
      if (news.ok) resolve(news);
      else reject(new Error(news.error?.text ?? news.reason));
    };
    client.on("message", hear);
    client.publish(`${base}/${first}/${scope}/${last}`, JSON.stringify({ id, ...body }), { qos: 1 });
  });
}

try {
  const learned = await ask("memory/observe", "observed", { text: "My doctor put me on amlodipine 5 mg." });
  console.log("learned:", learned.changed.map((change) => `${change.kind} ${change.record}`).join(", "));
  await ask("chat/request", "reply", { text: "Which medicine do I take?" });
  const reminder = "Remind me tomorrow at 10 am to measure my blood pressure.";
  console.log(`\n${(await ask("chat/request", "reply", { text: reminder, stream: false })).text}`);
} finally {
  await client.endAsync();
}

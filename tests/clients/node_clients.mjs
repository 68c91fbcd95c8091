// The clients written in JavaScript, as their own documentation has them used.
// Reads one step a line from stdin and writes what came of it, one line each, to stdout: see step.py.
import readline from "node:readline";

import { Ollama } from "ollama";
import OpenAI from "openai";

const nothing = () => ({ text: "", pieces: [], calls: [], names: [], numbers: [], error: "", status: 0 });

function piece(heard, text) {
  if (text) {
    heard.pieces.push(text);
    heard.text += text;
  }
}

async function askOllama(step, heard) {
  const client = new Ollama({ host: step.url });
  const messages = [{ role: "user", content: step.text }];
  const asked = { model: step.model, messages, ...step.more };
  switch (step.do) {
    case "chat":
      heard.text = (await client.chat(asked)).message.content;
      break;
    case "stream":
      for await (const part of await client.chat({ ...asked, stream: true })) piece(heard, part.message.content);
      break;
    case "leave": {
      const stream = await client.chat({ ...asked, stream: true });
      try {
        for await (const part of stream) {
          piece(heard, part.message.content);
          stream.abort();
        }
      } catch (error) {
        if (error.name !== "AbortError") throw error;
      }
      break;
    }
    case "tools": {
      const first = await client.chat({ ...asked, tools: [step.tool] });
      messages.push(first.message);
      for (const call of first.message.tool_calls) {
        heard.calls.push({ name: call.function.name, ...call.function.arguments });
        messages.push({ role: "tool", tool_name: call.function.name, content: step.found });
      }
      heard.text = (await client.chat({ ...asked, tools: [step.tool] })).message.content;
      break;
    }
    case "generate":
      heard.text = (await client.generate({ model: step.model, prompt: step.text })).response;
      break;
    case "embed":
      heard.numbers = (await client.embed({ model: step.model, input: step.text })).embeddings[0];
      break;
    case "list":
      heard.names = (await client.list()).models.map((model) => model.name);
      break;
    case "show":
      heard.names = (await client.show({ model: step.model })).capabilities;
      break;
    case "ps":
      heard.names = (await client.ps()).models.map((model) => model.name);
      break;
    case "version":
      heard.text = (await client.version()).version;
  }
}

async function askOpenAI(step, heard) {
  const client = new OpenAI({ baseURL: `${step.url}/v1`, apiKey: "none", maxRetries: 0 });
  const messages = [{ role: "user", content: step.text }];
  const asked = { model: step.model, messages, ...step.more };
  switch (step.do) {
    case "chat":
      heard.text = (await client.chat.completions.create(asked)).choices[0].message.content;
      break;
    case "stream":
    case "leave":
      for await (const part of await client.chat.completions.create({ ...asked, stream: true })) {
        piece(heard, part.choices[0]?.delta.content);
        if (part.usage) heard.numbers = [part.usage.total_tokens];
        if (step.do === "leave") break;
      }
      break;
    case "tools": {
      const first = (await client.chat.completions.create({ ...asked, tools: [step.tool] })).choices[0].message;
      messages.push(first);
      for (const call of first.tool_calls) {
        heard.calls.push({ id: call.id, name: call.function.name, ...JSON.parse(call.function.arguments) });
        messages.push({ role: "tool", tool_call_id: call.id, content: step.found });
      }
      heard.text = (await client.chat.completions.create({ ...asked, tools: [step.tool] })).choices[0].message.content;
      break;
    }
    case "embed":
      heard.numbers = (
        await client.embeddings.create({ model: step.model, input: step.text, encoding_format: "float" })
      ).data[0].embedding;
      break;
    case "list":
      for await (const model of client.models.list()) heard.names.push(model.id);
  }
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  const step = JSON.parse(line);
  const heard = nothing();
  try {
    await (step.client === "ollama" ? askOllama : askOpenAI)(step, heard);
  } catch (error) {
    heard.error = error.error?.message ?? error.error ?? error.message;
    heard.status = error.status_code ?? error.status ?? 0;
  }
  process.stdout.write(JSON.stringify(heard) + "\n");
}

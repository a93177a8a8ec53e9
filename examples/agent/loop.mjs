// A whole agent: a simulator with a Guard in front of it, the server for agents, and a model that
// reads what a tool says and decides what to call next. The model here is a script, so that it needs
// no network; put yours in its place: it is given the tools and the last answer, and names a call.
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

const guard = process.env['GUARD_BIN'] ?? 'guard'
const [command, ...before] = guard.split(' ')

/** Starts `guard demo` without its bot; where its Guard listens, and the client key's file. */
async function startDemo() {
  const child = spawn(command, [
    ...before,
    'demo',
    '--no-bot',
    '--json',
    '--port',
    '0',
    '--sim-port',
    '0',
  ])
  for await (const line of createInterface({ input: child.stdout })) {
    const { demo } = JSON.parse(line)
    if (demo !== undefined) return { ...demo, child }
  }
  throw new Error('the demo did not start')
}

/** A scripted model: what it says and calls, one step after the other, by what it was told. */
function* model() {
  yield ['How are things?', 'guard_status', {}]
  const limits = yield [
    'How much ETH could be bought?',
    'guard_limits',
    { coin: 'ETH', side: 'buy' },
  ]
  yield [
    'Far too much, to see what happens.',
    'guard_preview',
    { coin: 'ETH', side: 'buy', size_usd: '1000000' },
  ]
  const size = (Number(limits.largest_size) / 2).toFixed(2)
  const order = { coin: 'ETH', side: 'buy', size, idempotency_key: 'first-idea' }
  yield ['Half of what may be, with a key of its own.', 'place_order', order]
  yield ['No answer came, it seems: the same again.', 'place_order', order]
  yield ['Another order by the same key?', 'place_order', { ...order, size: '0.1' }]
  yield ['What is at risk now?', 'guard_status', {}]
  yield ['Away with all orders!', 'cancel_all', {}]
  yield ['Enough for today.', 'close_position', { coin: 'ETH' }]
}

const demo = await startDemo()
const client = new Client(
  { name: 'example', version: '1' },
  { versionNegotiation: { mode: 'auto' } },
)
const args = ['mcp', '--url', demo.url, '--trade', '--client-key-file', demo.client_key_file]
await client.connect(new StdioClientTransport({ command, args: [...before, ...args] }))
try {
  const script = model()
  for (let step = script.next(); !step.done;) {
    const [says, name, given] = step.value
    const answer = await client.callTool({ name, arguments: given })
    console.log(`Model: ${says}`)
    console.log(`  ${name} ${JSON.stringify(given)}`)
    console.log(`Guard: ${answer.content[0].text}\n`)
    step = script.next(answer.structuredContent)
  }
} finally {
  await client.close()
  demo.child.kill('SIGINT')
  await once(demo.child, 'close')
}

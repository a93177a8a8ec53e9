// A whole agent: a simulator with a Guard in front of it, the server for agents, and a model that
// reads what a tool says and decides what to call next. The model here is a script, so that it needs
// no network; put yours in its place: it is given the tools and the last answer, and names a call.
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

// The program of this clone, or the one that is installed.
const here = fileURLToPath(new URL('../../bin/guard', import.meta.url))
const named = process.env['GUARD_BIN']?.split(' ')
const [command, ...before] = named ?? (existsSync(here) ? [process.execPath, here] : ['guard'])

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
  const greedy = { coin: 'BTC', side: 'sell', size_usd: '1000000', idempotency_key: 'all-in' }
  yield ['All in, the other way, on another coin.', 'place_order', greedy]
  const tiny = { coin: 'ETH', side: 'buy', size: '0.001', idempotency_key: 'tiny' }
  yield ['Then a very small one.', 'place_order', tiny]
  yield ['Why was that refused?', 'guard_explain', { idempotency_key: 'tiny' }]
  yield ['And why was the large one made smaller?', 'guard_explain', { idempotency_key: 'all-in' }]
  yield ['What is at risk now?', 'guard_status', {}]
  yield ['Away with all orders!', 'cancel_all', {}]
  yield ['Enough of ETH.', 'close_position', { coin: 'ETH' }]
  const reason = 'I do not understand this market any more'
  yield ['I had better stop altogether.', 'guard_kill', { reason, confirm: true }]
  yield ['Just one more?', 'place_order', { coin: 'ETH', side: 'buy', size: '0.1' }]
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

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { binary, built, buildTimeoutMs, root } from '../cli/program.fixture.ts'

beforeAll(async () => {
  await built()
}, buildTimeoutMs)

/** `vitest -u` writes the page. */
test('the example is a whole loop, and its conversation is in the documentation', async () => {
  const env = { ...process.env, GUARD_BIN: `${process.execPath} ${binary}` }
  const child = spawn(process.execPath, [join(root, 'examples', 'agent', 'loop.mjs')], { env })
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
  const code = await new Promise((resolve) => child.once('close', resolve))
  expect({ code, err }).toEqual({ code: 0, err: '' })
  const page = [
    '# A conversation',
    '',
    'What `examples/agent/loop.mjs` prints; made by `test/mcp/example.test.ts`.',
    '',
  ]
  const text = [...page, '```text', out.trim(), '```', ''].join('\n')
  await expect(text).toMatchFileSnapshot('../../docs/generated/agent-conversation.md')
})

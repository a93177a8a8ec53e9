import type { McpServer } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import { loadCrypto } from '../crypto/loadCrypto.ts'
import { AgentKey } from './agentKey.ts'
import { AgentContext } from './context.ts'
import { openGuardPort } from './guardPort.ts'
import { Nonces } from './nonces.ts'
import type { OrderOutput } from './orderAnswer.ts'
import { ReadShare } from './readShare.ts'
import { Sender } from './sender.ts'
import type { ToolAnswer } from './answer.ts'
import { explainTool } from './tools/records.ts'

/** What guard_explain says of a key, of which Guard has no decision or does not answer. */
async function explain(
  fetch: typeof globalThis.fetch,
  begin: () => Promise<ToolAnswer<OrderOutput>>,
) {
  const now = () => 1_790_000_000_000
  const port = openGuardPort({ url: 'http://guard', token: null, fetch })
  const nonces = new Nonces(now)
  const key = new AgentKey(await loadCrypto(), new Uint8Array(32).fill(7))
  const signing = { key, sender: new Sender(port, key, nonces) }
  const context = new AgentContext(port, new ReadShare(port, now), nonces, signing)
  const call = context.once.run('k', 'buy 1', begin, () => 'unknown')
  await Promise.race([call, Promise.resolve()])
  let answer: unknown = null
  const registerTool = (_name: string, _about: object, run: (...given: unknown[]) => unknown) => {
    answer = run({ idempotency_key: 'k' }, { mcpReq: { signal: new AbortController().signal } })
  }
  explainTool.offer({ registerTool } as unknown as McpServer, context)
  return await answer
}

const nothing = () =>
  Promise.resolve(
    Response.json({ error: { code: 'unknown_cloid', text: 'there is none' } }, { status: 404 }),
  )
const away = () => Promise.reject(new TypeError('fetch failed', { cause: refused }))
const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
const never = () => new Promise<ToolAnswer<OrderOutput>>(() => undefined)
const ended = () => Promise.resolve({} as ToolAnswer<OrderOutput>)
const said = (text: string) => ({
  isError: true,
  content: [{ text: expect.stringMatching(text) as string }],
})

test('a call that is under way is no order that was never sent', async () => {
  expect(await explain(nothing, never)).toMatchObject(said('is under way'))
})

test.each([
  ['Guard has no decision yet', nothing],
  ['Guard does not answer', away],
])('%s: an order that ended unknown stays unknown', async (_, fetch) => {
  expect(await explain(fetch, ended)).toMatchObject(
    said('may have been sent before.*still unknown'),
  )
})

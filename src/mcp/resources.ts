import type { McpServer } from '@modelcontextprotocol/server'
import { limits } from '../core/values/limits.ts'
import { AgentError } from './agentError.ts'
import type { AgentContext } from './context.ts'
import { ownRules } from './ownRules.ts'
import { eventView } from './tools/records.ts'
import { statusAnswer } from './tools/status.ts'

export const resourceUris = ['guard://status', 'guard://rules', 'guard://events/latest'] as const

/** The state of the account as documents that a host can show and follow. */
export function offerResources(server: McpServer, context: AgentContext): void {
  const offer = (
    name: string,
    uri: (typeof resourceUris)[number],
    description: string,
    read: () => Promise<unknown>,
  ): void => {
    const about = { title: name, description, mimeType: 'application/json' }
    server.registerResource(name, uri, about, async () => ({
      contents: [{ uri, mimeType: about.mimeType, text: await asJson(read) }],
    }))
  }
  offer(
    'status',
    'guard://status',
    'The same as guard_status.',
    async () => statusAnswer(await context.status()).data,
  )
  offer('rules', 'guard://rules', 'The rules in force and their code.', async () => {
    const status = await context.status()
    return { code: status.rules, rules: ownRules(status, context.key?.address ?? null) }
  })
  offer('events', 'guard://events/latest', 'The newest events, oldest first.', async () => {
    const { last_seq: last } = await context.status()
    const since = Math.max(0, last - limits.agentRowsMax)
    const page = await context.port.events(since, '', limits.agentRowsMax)
    return { events: page.events.map(eventView), last_seq: page.last }
  })
}

/** A document, or the reason why there is none now. */
async function asJson(read: () => Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify(await read())
  } catch (error) {
    const text = error instanceof AgentError ? error.message : 'It cannot be read now.'
    return JSON.stringify({ error: text })
  }
}

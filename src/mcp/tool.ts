import type { CallToolResult, McpServer } from '@modelcontextprotocol/server'
import type * as z from 'zod'
import { limits } from '../core/values/limits.ts'
import { AgentError } from './agentError.ts'
import { isFitting, plainLine } from './answer.ts'
import type { ToolAnswer } from './answer.ts'
import type { AgentContext } from './context.ts'

interface ToolParts<Input extends z.ZodType, Output extends z.ZodType> {
  readonly name: string
  readonly title: string
  readonly description: string
  /** `acts`: something changes at the venue, and not only by addition: an order may close a position. */
  readonly effect: 'reads' | 'acts'
  /** Calling it twice with the same arguments is the same as calling it once. */
  readonly isIdempotent: boolean
  readonly input: Input
  readonly output: Output
  /** The answer, text and data together, has at most so many characters. */
  readonly charsMax?: number
  readonly run: (
    context: AgentContext,
    given: z.output<Input>,
    /** Aborted once the client has cancelled the call. */
    signal: AbortSignal,
  ) => Promise<ToolAnswer<z.input<Output>>>
}

/** One tool, ready to be offered by a server. */
export interface Tool {
  readonly name: string
  readonly effect: 'reads' | 'acts'
  offer(server: McpServer, context: AgentContext): void
}

export function tool<Input extends z.ZodType, Output extends z.ZodType>(
  parts: ToolParts<Input, Output>,
): Tool {
  const { name, title, description, effect, isIdempotent, input, output } = parts
  const annotations = {
    title,
    readOnlyHint: effect === 'reads',
    destructiveHint: effect === 'acts',
    idempotentHint: isIdempotent,
    openWorldHint: true,
  }
  return {
    name,
    effect,
    offer: (server, context) => {
      const inputSchema: z.ZodType = input
      const outputSchema: z.ZodType = output
      const about = { title, description, inputSchema, outputSchema, annotations }
      server.registerTool(name, about, (given, { mcpReq }) =>
        answered(() => parts.run(context, given as z.output<Input>, mcpReq.signal), parts.charsMax),
      )
    },
  }
}

async function answered(
  run: () => Promise<ToolAnswer<unknown>>,
  charsMax: number = limits.agentAnswerCharsMax,
): Promise<CallToolResult> {
  try {
    const { text, data } = await run()
    const line = plainLine(text)
    const structured = data as { [key: string]: unknown }
    if (!isFitting({ text: line, data }, charsMax)) {
      return failure('The answer is too long for a context. Ask for less: a smaller limit.')
    }
    return { content: [{ type: 'text', text: line }], structuredContent: structured }
  } catch (error) {
    if (error instanceof AgentError) return failure(error.message)
    // What went wrong inside is told to nobody: it may hold anything.
    return failure(
      'This is a fault in `guard mcp`, and nothing is known of it here. Ask guard_status, then decide.',
    )
  }
}

function failure(text: string): CallToolResult {
  return { content: [{ type: 'text', text: plainLine(text) }], isError: true }
}

import * as z from 'zod'
import { isObject } from '../../core/protocol/fields.ts'
import { limits } from '../../core/values/limits.ts'
import { AgentError } from '../agentError.ts'
import { signing } from '../placeOnce.ts'
import { inputOf } from '../schemas.ts'
import { tool } from '../tool.ts'

export const killTool = tool({
  name: 'guard_kill',
  title: 'Pull the kill switch',
  description:
    'Closes every position, cancels every entry, and lets nothing open again until a person has released it at the machine. No tool can release it. Needs confirm: true and a reason.',
  effect: 'destroys',
  isIdempotent: true,
  input: inputOf({
    reason: z
      .string()
      .min(1)
      .max(limits.killReasonCharsMax)
      .regex(/^[\x20-\x7e]+$/, 'must be printable ASCII characters')
      .describe('why, for the person who has to review it'),
    confirm: z.literal(true).describe('must be true'),
  }),
  output: z.strictObject({
    latched: z.boolean(),
    already: z.boolean().describe('it was latched before'),
    durable: z.boolean().describe('it is on disk, so that a restart keeps it'),
    at_ms: z.number().int(),
  }),
  run: async (context, { reason }) => {
    // The clock is learned from it; a kill that waits for a read is none.
    const away: unknown = await context.status().then(
      () => null,
      (error: unknown) => error,
    )
    const { sender } = signing(context)
    const { delivery } = await sender.send('/guard/kill', { type: 'guardKill', reason })
    if (delivery.kind === 'not_sent' && away instanceof AgentError) throw away
    if (delivery.kind !== 'answered') throw notKnown(delivery.why)
    const { killed } = delivery.reply
    if (!isObject(killed)) {
      const code = delivery.reply['code']
      throw new AgentError(
        `Guard did not take the kill (${typeof code === 'string' ? code : 'no code'})`,
        'Tell the person at the machine: `guard kill --reason ...` works there without a key.',
      )
    }
    const data = {
      latched: true,
      already: killed['already'] === true,
      durable: killed['durable'] === true,
      at_ms: Number(killed['at_ms']),
    }
    const when = data.already ? 'was pulled before' : 'is pulled'
    return {
      text: `The kill switch ${when}. Everything is being closed; a person has to release it at the machine.`,
      data,
    }
  },
})

function notKnown(why: string): AgentError {
  return new AgentError(
    `It is not known whether the kill switch was pulled: ${why}`,
    'Call guard_status; pull it again if it is not latched (pulling twice does no harm), and tell the person at the machine.',
  )
}

import * as z from 'zod'
import type { JsonObject } from '../../core/protocol/action.ts'
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
  effect: 'acts',
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
    const { sender } = signing(context)
    const pull = () => sender.send('/guard/kill', { type: 'guardKill', reason })
    // It waits for no read: only where Guard's clock is another is that learned first.
    let { delivery } = await pull()
    if (delivery.kind === 'answered' && isOutOfTime(delivery.reply)) {
      await context.status().catch(() => undefined)
      ;({ delivery } = await pull())
    }
    // Where nobody answers this says so, and how to start Guard.
    if (delivery.kind === 'not_sent') await context.status()
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

function isOutOfTime({ code }: JsonObject): boolean {
  return code === 'auth_nonce_too_old' || code === 'auth_nonce_too_new'
}

function notKnown(why: string): AgentError {
  return new AgentError(
    `It is not known whether the kill switch was pulled: ${why}`,
    'Call guard_status; pull it again if it is not latched (pulling twice does no harm), and tell the person at the machine.',
  )
}

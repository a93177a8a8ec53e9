import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Json } from './action.ts'

/** The venue's reference of its answers to actions, as a schema of its own: the decoder's second opinion. */

const ajv = new Ajv2020({ strict: false })
const id = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
const decimal = { type: 'string', pattern: '^(0|[1-9][0-9]{0,40})(\\.[0-9]{1,15})?$' }
const cloid = { anyOf: [{ type: 'null' }, { type: 'string', pattern: '^0x[0-9a-fA-F]{32}$' }] }
const outcomes = ['error', 'resting', 'filled']

/** An object with this one of the outcomes and none of the others. */
const only = (name: string, schema: object): object => ({
  type: 'object',
  required: [name],
  properties: { [name]: schema },
  not: { anyOf: outcomes.filter((each) => each !== name).map((each) => ({ required: [each] })) },
})

const error = only('error', { type: 'string' })
const statuses = {
  order: {
    anyOf: [
      { enum: ['waitingForFill', 'waitingForTrigger'] },
      error,
      only('resting', { type: 'object', required: ['oid'], properties: { oid: id, cloid } }),
      only('filled', {
        type: 'object',
        required: ['oid', 'totalSz', 'avgPx'],
        properties: { oid: id, totalSz: decimal, avgPx: decimal, cloid },
      }),
    ],
  },
  cancel: { anyOf: [{ enum: ['success'] }, error] },
}

const accepted = (type: object, data: object | null): object => ({
  type: 'object',
  required: ['status', 'response'],
  properties: {
    status: { const: 'ok' },
    response: {
      type: 'object',
      required: data === null ? ['type'] : ['type', 'data'],
      properties: { type, data: data ?? { type: 'null' } },
    },
  },
})

const field = (name: string, schema: object): object => ({
  type: 'object',
  required: [name],
  properties: { [name]: schema },
})

const twapRuns = {
  ...field('running', field('twapId', id)),
  not: { required: ['error'] },
}
const twapError = {
  ...field('error', { type: 'string' }),
  not: { required: ['running'] },
}

const reply = {
  anyOf: [
    {
      type: 'object',
      required: ['status', 'response'],
      properties: { status: { const: 'err' }, response: { type: 'string' } },
    },
    accepted({ const: 'default' }, null),
    accepted({ enum: ['order', 'cancel'] }, field('statuses', { type: 'array' })),
    accepted({ const: 'twapOrder' }, field('status', { anyOf: [twapRuns, twapError] })),
    accepted(
      { const: 'twapCancel' },
      field('status', { anyOf: [{ const: 'success' }, twapError] }),
    ),
    accepted(
      { enum: ['createSubAccount', 'createVault'] },
      { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' },
    ),
  ],
}

const isReply = ajv.compile(reply)
const isStatus = { order: ajv.compile(statuses.order), cancel: ajv.compile(statuses.cancel) }

export const isKnownReply = (json: Json): boolean => isReply(json)
export const isKnownStatus = (type: 'order' | 'cancel', json: Json): boolean => isStatus[type](json)

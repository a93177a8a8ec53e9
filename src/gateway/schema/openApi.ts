import * as z from 'zod'
import { changeRecord, eventSchemas, guardEvent } from './events.ts'
import { openApiPaths } from './openApiPaths.ts'
import {
  decisionReply,
  equityReply,
  errorReply,
  exchangeReply,
  exchangeRequest,
  killReply,
  killRequest,
  okReply,
  previewReply,
  previewRequest,
} from './replies.ts'
import { alert, position, status } from './status.ts'

type JsonSchema = Record<string, unknown>

/** Every schema that has a name of its own in the contract. */
const namedSchemas = [
  ...eventSchemas,
  changeRecord,
  position,
  alert,
  guardEvent,
  status,
  decisionReply,
  equityReply,
  previewRequest,
  previewReply,
  exchangeRequest,
  exchangeReply,
  killRequest,
  killReply,
  okReply,
  errorReply,
]

/** `GET /openapi.json`: OpenAPI 3.1, generated from the schemas. */
export function openApi(version: string): JsonSchema {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Guard',
      version,
      summary: 'A local risk-control proxy between a trading bot and Hyperliquid',
      description:
        'Schema 1: fields may be added, never removed, and never change meaning. Money, sizes, ' +
        'prices and ratios are decimal strings; times are UTC epoch milliseconds.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: 'http://127.0.0.1:8547' }],
    paths: openApiPaths,
    components: {
      schemas: componentSchemas(),
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'Only where Guard listens beyond this machine.',
        },
      },
    },
  }
}

/** `GET /schema/events.json`: one event, as a JSON Schema (2020-12) that stands alone. */
export function eventsSchema(): JsonSchema {
  return z.toJSONSchema(guardEvent, { io: 'input', target: 'draft-2020-12' })
}

/** Readers of OpenAPI files stumble over tuples: a list of so many, each one of these, says it too. */
function withoutTuple(schema: { prefixItems?: unknown; items?: unknown }): void {
  if (schema.prefixItems === undefined) return
  schema.items = { anyOf: schema.prefixItems }
  delete schema.prefixItems
}

function componentSchemas(): JsonSchema {
  const registry = z.registry<{ id: string }>()
  for (const schema of namedSchemas) {
    const id = schema.meta()?.id
    if (id !== undefined) registry.add(schema, { id })
  }
  const { schemas } = z.toJSONSchema(registry, {
    io: 'input',
    target: 'draft-2020-12',
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ jsonSchema }) => {
      withoutTuple(jsonSchema)
    },
  })
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $id: _, $schema: __, ...schema }]) => [id, schema]),
  )
}

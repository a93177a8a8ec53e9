import * as z from 'zod'
import { expect, test } from 'vitest'
import { createMetrics } from '../metrics/guardMetrics.ts'
import { eventSchemas } from './events.ts'
import { openApi } from './openApi.ts'
import {
  decisionReply,
  equityReply,
  exchangeReply,
  killReply,
  killRequest,
  previewReply,
  previewRequest,
} from './replies.ts'
import { status } from './status.ts'

/** The reference pages are made from the schemas; `vitest -u` writes them. */

type Schema = any

function typeText(schema: Schema): string {
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema.enum) return schema.enum.map((value: unknown) => `\`${String(value)}\``).join(', ')
  const variants = schema.anyOf ?? schema.oneOf
  if (variants) return [...new Set(variants.map(typeText))].join(' or ')
  if (schema.type === 'array') return `array of ${typeText(schema.items)}`
  if (schema.type === 'object') return schema.properties?.type ? 'action' : 'object'
  if (schema.type === 'string' && /^\^-\?/.test(schema.pattern ?? '')) return 'decimal string'
  if (schema.type === 'string' && /^\^0(x|\[xX\])/.test(schema.pattern ?? '')) return 'address'
  return [schema.type ?? 'any JSON'].flat().join(' or ')
}

/** Rows for every field, those of nested objects under their path. */
function rows(schema: Schema, path = ''): string[] {
  return Object.entries<Schema>(schema.properties ?? {}).flatMap(([name, field]) => {
    const full = `${path}${name}`
    const isOptional = !(schema.required ?? []).includes(name)
    const isSaidByType = /^(a decimal number|an address)/.test(field.description ?? '')
    const meaning = String(isSaidByType ? '' : (field.description ?? '')).replaceAll('|', '\\|')
    const row = `| \`${full}\`${isOptional ? ' (optional)' : ''} | ${typeText(field)} | ${meaning} |`
    if (field.type === 'array' && field.items?.properties && !field.items.properties.type) {
      return [row, ...rows(field.items, `${full}[].`)]
    }
    if (field.type === 'object' && field.properties && !field.properties.type) {
      return [row, ...rows(field, `${full}.`)]
    }
    return [row]
  })
}

function section(title: string, schema: z.ZodType): string {
  const json = z.toJSONSchema(schema, { io: 'input', reused: 'inline' }) as Schema
  const whole = inline(json, json.$defs ?? {})
  const text = json.description ? `${String(json.description)}\n\n` : ''
  return `## ${title}\n\n${text}| Field | Type | Meaning |\n|---|---|---|\n${rows(whole).join('\n')}\n`
}

function inline(schema: Schema, defs: Record<string, Schema>): Schema {
  if (Array.isArray(schema)) return schema.map((item) => inline(item, defs))
  if (schema === null || typeof schema !== 'object') return schema
  if (typeof schema.$ref === 'string') {
    const { $ref, ...rest } = schema
    return { ...inline(defs[$ref.replace('#/$defs/', '')], defs), ...rest }
  }
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, inline(value, defs)]),
  )
}

const page = (title: string, intro: string, parts: readonly string[]): string =>
  `# ${title}\n\n${intro}\n\n${parts.join('\n')}`
const generated = (name: string): string => `../../../docs/generated/${name}.md`

test('the reference of the events', async () => {
  const text = page(
    'Events, field by field',
    'Made from the schemas that Guard serves at `/schema/events.json`.',
    eventSchemas.map((schema) => section(`\`${schema.shape.kind.value}\``, schema)),
  )
  await expect(text).toMatchFileSnapshot(generated('events'))
})

test('the reference of the replies', async () => {
  const text = page(
    'Requests and replies, field by field',
    'Made from the schemas that Guard serves at `/openapi.json`.',
    [
      section('`GET /guard/status`', status),
      section('`GET /guard/decision`', decisionReply),
      section('`GET /guard/equity`', equityReply),
      section('`POST /guard/preview`, request', previewRequest),
      section('`POST /guard/preview`, reply', previewReply),
      section('`POST /guard/kill`, request', killRequest),
      section('`POST /guard/kill`, reply', killReply),
      section('`POST /exchange`, reply', exchangeReply),
    ],
  )
  await expect(text).toMatchFileSnapshot(generated('replies'))
})

test('the reference of the endpoints', async () => {
  const { paths } = openApi('0') as { paths: Record<string, Record<string, Schema>> }
  const lines = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary, parameters = [], responses }]) => {
      const names = parameters.map(({ name }: Schema) => `\`${String(name)}\``).join(', ')
      const statuses = Object.entries<Schema>(responses)
        .map(([code, { description }]) => `${code}: ${String(description)}`)
        .join('; ')
      return `| \`${method.toUpperCase()} ${path}\` | ${summary} | ${names} | ${statuses} |`
    }),
  )
  const text = page(
    'Endpoints',
    'Made from the OpenAPI file that Guard serves at `/openapi.json`.',
    [`| Endpoint | What | Parameters | Answers |\n|---|---|---|---|\n${lines.join('\n')}\n`],
  )
  await expect(text).toMatchFileSnapshot(generated('endpoints'))
})

test('the reference of the metrics', async () => {
  const lines = createMetrics()
    .registry.list()
    .map(({ name, type, help }) => `| \`${name}\` | ${type} | ${help} |`)
  const text = page('Metrics', 'Made from the registry behind `GET /metrics`.', [
    `| Metric | Type | Meaning |\n|---|---|---|\n${lines.join('\n')}\n`,
  ])
  await expect(text).toMatchFileSnapshot(generated('metrics'))
})

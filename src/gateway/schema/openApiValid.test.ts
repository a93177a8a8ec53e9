import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { openApi } from './openApi.ts'

/**
 * The schema of OpenAPI 3.1 documents, as the specification's authors publish it. A schema inside
 * the document is any object there; ajv does not find it by its dynamic name, so it is named plainly.
 */
const official = JSON.parse(
  readFileSync(join(import.meta.dirname, 'fixtures', 'openapi-3.1-schema.json'), 'utf8').replaceAll(
    '"$dynamicRef": "#meta"',
    '"$ref": "#/$defs/schema"',
  ),
)

function isOpenApi(document: unknown): unknown {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
  const validate = ajv.compile(official)
  return validate(document) ? null : validate.errors
}

test('the file that the port serves is OpenAPI 3.1', () => {
  expect(isOpenApi(openApi('0.1.0'))).toBeNull()
})

test.each([
  ['a path without a slash', (api: any) => (api.paths['healthz'] = api.paths['/healthz'])],
  ['an answer that says nothing', (api: any) => (api.paths['/healthz'].get.responses['200'] = {})],
  [
    'a parameter from nowhere',
    (api: any) => delete api.paths['/guard/decision'].get.parameters[0].in,
  ],
])('%s would be noticed', (_, spoil) => {
  const api = structuredClone(openApi('0.1.0'))
  spoil(api)
  expect(isOpenApi(api)).not.toBeNull()
})

test('each schema in it is one of JSON Schema 2020-12, the dialect of OpenAPI 3.1', () => {
  const api = openApi('0.1.0') as any
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  const found: string[] = []
  const visit = (node: any, path: string): void => {
    if (node === null || typeof node !== 'object') return
    for (const [name, value] of Object.entries<any>(node)) {
      const here = `${path}/${name}`
      if (name !== 'schema' && !/\/components\/schemas\/\w+$/.test(here)) visit(value, here)
      else if (ajv.validateSchema(value) !== true) found.push(`${here}: ${ajv.errorsText()}`)
    }
  }
  visit(api, '')
  expect(found).toEqual([])
  // What was once wrong: a tuple that was written as a list of items.
  expect(ajv.validateSchema({ type: 'array', items: [{ type: 'integer' }] })).toBe(false)
})

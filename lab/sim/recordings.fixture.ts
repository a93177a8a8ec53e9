import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Answers of the live venue that others recorded. They are not part of this repository. */
const folder = resolve(import.meta.dirname, '..', '..', '..', 'shared', 'vectors')

/** Whether the recordings lie beside the repository; without them their tests are skipped. */
export const isRecorded = existsSync(join(folder, 'responses'))

export function recording(name: string): any {
  return JSON.parse(readFileSync(join(folder, name), 'utf8'))
}

/** Every recorded file, by its path. */
export function recordings(): { readonly name: string; readonly json: any }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json') && !name.startsWith('recorded-requests'))
    .map((name) => ({ name, json: recording(name) }))
}

/** Every object anywhere inside that has all of these fields. */
export function objectsWith(json: any, fields: readonly string[]): any[] {
  if (typeof json !== 'object' || json === null) return []
  const inside = Object.values(json).flatMap((each) => objectsWith(each, fields))
  return fields.every((field) => Object.hasOwn(json, field)) ? [json, ...inside] : inside
}

import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { slowest } from './slowFirst.ts'

const root = resolve(import.meta.dirname, '..')
const files = ['src', 'lab', 'test']
  .filter((folder) => existsSync(join(root, folder)))
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map(
      (path) => `/${folder}/${String(path)}`,
    ),
  )

test.each(slowest)('%s is one test file', (name) => {
  expect(files.filter((path) => path.endsWith(name))).toHaveLength(1)
})

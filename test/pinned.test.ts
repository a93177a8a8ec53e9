import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const workflows = join(root, '.github', 'workflows')

test('what CI runs of others is named by its commit: a tag can be moved', () => {
  const used = readdirSync(workflows).flatMap((file) =>
    [...readFileSync(join(workflows, file), 'utf8').matchAll(/uses: *(\S+)/g)].map(
      ([, name]) => name,
    ),
  )
  expect(used.length).toBeGreaterThan(1)
  expect(used.filter((name) => !/^[\w./-]+@[0-9a-f]{40}$/.test(name ?? ''))).toEqual([])
})

test("the container's base is one exact version, the same wherever it is named", () => {
  const text = readFileSync(join(root, 'deploy', 'Dockerfile'), 'utf8')
  const bases = [...text.matchAll(/^FROM (\S+)/gm)].map(([, name]) => name ?? '')
  expect(new Set(bases).size).toBe(1)
  expect(bases[0]).toMatch(/^node:\d+\.\d+\.\d+-[a-z]+-slim(@sha256:[0-9a-f]{64})?$/)
})

test('the container has every program of the package', () => {
  const text = readFileSync(join(root, 'deploy', 'Dockerfile'), 'utf8')
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const programs: string[] = files.filter((file: string) => /^dist\/\w+\.mjs$/.test(file))
  expect(programs).toHaveLength(7)
  const copied = [...text.matchAll(/^COPY --from=build (.+) \.\/dist\/$/gm)].flatMap(
    ([, names]) => names?.split(' ') ?? [],
  )
  const isCopied = (file: string) =>
    copied.some((name) => name === `/src/${file}` || name === '/src/dist/*.mjs')
  expect(programs.filter((file) => !isCopied(file))).toEqual([])
})

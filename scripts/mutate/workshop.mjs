// A transpiled copy of the core with its tests, the sources to be mutated with all mutants in them.
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import ts from 'typescript'
import { mutantsOf } from './mutants.mjs'

const options = {
  compilerOptions: {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    verbatimModuleSyntax: true,
    rewriteRelativeImportExtensions: true,
  },
}

/** What stands in for vitest: its matchers, and a list of tests. */
const standIn = `
import * as chai from 'chai'
import { JestAsymmetricMatchers, JestChaiExpect, JestExtend } from '@vitest/expect'
for (const plugin of [JestExtend, JestChaiExpect, JestAsymmetricMatchers]) chai.use(plugin)
chai.util.addMethod(chai.Assertion.prototype, 'toMatchFileSnapshot', () => {})
export const expect = chai.expect
export const queue = []
const body = (first, second) => (typeof first === 'function' ? first : second)
export const test = (name, first, second) => queue.push({ name, run: body(first, second) })
test.each = (rows) => (name, first, second) => {
  const run = body(first, second)
  rows.forEach((row, nth) =>
    test(name + ' #' + nth, () => (Array.isArray(row) ? run(...row) : run(row))),
  )
}
export const it = test
export const describe = (name, define) => define()
describe.each = (rows) => (name, define) =>
  rows.forEach((row) => (Array.isArray(row) ? define(...row) : define(row)))
export const beforeEach = () => {}
`

/** Reference pages and sentences hold nothing to be decided. */
function isMutated(file, folders) {
  if (/\.(test|fixture|d)\.ts$/.test(file)) return false
  if (/(codes|codesMarkdown|rulesMarkdown|ruleText|text)\.ts$/.test(file)) return false
  return folders.some((folder) => file.startsWith(`${folder}/`) || file === folder)
}

/** Tests that read other folders' sources find none of them here, and spies have no stand-in. */
function isRun(file, text) {
  if (!/^src\/core\/(judge|safety|account|venueLimits|rules|protocol)\//.test(file)) return false
  const isAlone = !/from '(node:|(\.\.\/){2,}crypto\/)/.test(text)
  return file.endsWith('.test.ts') && isAlone && !file.includes('.sources.') && !/\bvi\b/.test(text)
}

/** Writes the copy; names the mutants in it and the tests that can be run against them. */
export function workshop(root, folders, isWanted) {
  const home = mkdtempSync(join(tmpdir(), 'mutate-'))
  const mutants = []
  const tests = []
  /** By compiled file, those that it imports. */
  const imports = new Map()
  const core = join(root, 'src', 'core')
  for (const name of readdirSync(core, { recursive: true, encoding: 'utf8' }).sort()) {
    const file = join('src', 'core', name)
    const to = join(home, file)
    mkdirSync(dirname(to), { recursive: true })
    if (file.endsWith('.json')) cpSync(join(root, file), to)
    if (!file.endsWith('.ts')) continue
    let text = readFileSync(join(root, file), 'utf8')
    if (isMutated(file, folders)) {
      const found = mutantsOf(file, text, mutants.length + 1)
      mutants.push(...found.mutants)
      text = found.text
    }
    const compiled = to.replace(/ts$/, 'js')
    const { outputText } = ts.transpileModule(text, options)
    writeFileSync(compiled, outputText)
    imports.set(compiled, importsOf(compiled, outputText))
    if (isRun(file, text) && isWanted(file)) tests.push(compiled)
  }
  writeFileSync(join(home, 'package.json'), '{"type":"module"}')
  const modules = join(home, 'node_modules')
  mkdirSync(join(modules, 'vitest'), { recursive: true })
  writeFileSync(join(modules, 'vitest', 'package.json'), '{"type":"module","main":"index.js"}')
  writeFileSync(join(modules, 'vitest', 'index.js'), standIn)
  for (const name of ['ajv', 'chai', 'fast-check', '@vitest', 'pure-rand']) {
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  /** The sources that a compiled file loads, itself among them. */
  const sourcesOf = (compiled) => {
    const found = new Set([compiled])
    for (const each of found) for (const other of imports.get(each) ?? []) found.add(other)
    return new Set([...found].map((each) => relative(home, each).replace(/js$/, 'ts')))
  }
  const mutated = new Set(mutants.map(({ file }) => file))
  const canNotice = (test) => [...sourcesOf(test)].some((file) => mutated.has(file))
  return { home, mutants, tests: tests.filter(canNotice), sourcesOf }
}

function importsOf(compiled, text) {
  const named = [...text.matchAll(/from ["'](\.[^"']+)["']/g)].map(([, path]) => path)
  return named.map((path) => join(dirname(compiled), path))
}

// Mutation testing without a framework: changes one operator, constant or condition at a time in a
// copy of the sources, runs the tests beside them, and counts what nobody noticed.
//
//   node scripts/mutate.mjs [--sample N] [--seed S] [--minutes M] [--json] folder...
//
// A mutant is killed when the tests fail, hang or no longer load. Survivors are printed with their
// place, so that a test can be written for those that matter. The sources are transpiled once, and
// the tests run by plain Node with vitest's own matchers, so a mutant costs about a second.
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import ts from 'typescript'

const root = resolve(import.meta.dirname, '..')
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '20' },
    json: { type: 'boolean', default: false },
  },
})
const folders = positionals.length > 0 ? positionals : ['src/core/judge', 'src/core/safety']

const swaps = new Map([
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
  [ts.SyntaxKind.PlusToken, '-'],
  [ts.SyntaxKind.MinusToken, '+'],
  [ts.SyntaxKind.AsteriskToken, '/'],
])
/** Methods of Decimal and of lists whose neighbour is the classic mistake. */
const methods = {
  lt: 'lte',
  lte: 'lt',
  gt: 'gte',
  gte: 'gt',
  plus: 'minus',
  minus: 'plus',
  isPositive: 'isNegative',
  isNegative: 'isPositive',
  min: 'max',
  max: 'min',
  some: 'every',
  every: 'some',
}
const words = { floor: 'ceil', ceil: 'floor', buy: 'sell', isolated: 'cross', sl: 'tp' }

/** Every change that can be made to a file: where, and what stands there instead. */
function mutantsOf(file) {
  const text = readFileSync(join(root, file), 'utf8')
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found = []
  const add = (node, to, what) => {
    const start = node.getStart(source)
    const { line } = source.getLineAndCharacterOfPosition(start)
    found.push({
      file,
      start,
      end: node.getEnd(),
      to,
      what,
      line: line + 1,
      from: text.slice(start, node.getEnd()),
    })
  }
  const visit = (node, isTyped) => {
    if (
      ts.isTypeNode(node) ||
      ts.isImportDeclaration(node) ||
      ts.isInterfaceDeclaration(node) ||
      ts.isTypeAliasDeclaration(node)
    )
      return
    if (ts.isBinaryExpression(node) && swaps.has(node.operatorToken.kind) && !isText(node)) {
      add(node.operatorToken, swaps.get(node.operatorToken.kind), 'operator')
    }
    if (
      ts.isPropertyAccessExpression(node) &&
      ts.isCallExpression(node.parent) &&
      node.parent.expression === node &&
      Object.hasOwn(methods, node.name.text)
    ) {
      add(node.name, methods[node.name.text], 'method')
    }
    if (ts.isConditionalExpression(node) && !isText(node.whenTrue)) {
      add(node.condition, 'true', 'condition')
      add(node.condition, 'false', 'condition')
    }
    if (ts.isIfStatement(node)) {
      add(node.expression, 'true', 'condition')
      add(node.expression, 'false', 'condition')
    }
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
      add(node, node.operand.getText(source), 'negation')
    if (node.kind === ts.SyntaxKind.TrueKeyword) add(node, 'false', 'constant')
    if (node.kind === ts.SyntaxKind.FalseKeyword) add(node, 'true', 'constant')
    if (ts.isNumericLiteral(node)) add(node, `${Number(node.text) + 1}`, 'constant')
    if (ts.isStringLiteral(node) && /^\d+(\.\d+)?$/.test(node.text))
      add(node, `'${Number(node.text) * 2 || 1}'`, 'constant')
    if (ts.isStringLiteral(node) && Object.hasOwn(words, node.text) && !isTyped)
      add(node, `'${words[node.text]}'`, 'word')
    ts.forEachChild(node, (child) => visit(child, isTyped))
  }
  visit(source, false)
  return found
}

/** Sentences for people are not what is tested here. */
function isText(node) {
  let text = false
  const look = (each) => {
    if (ts.isTemplateExpression(each) || ts.isNoSubstitutionTemplateLiteral(each)) text = true
    if (ts.isStringLiteral(each) && each.text.includes(' ')) text = true
    ts.forEachChild(each, look)
  }
  look(node)
  return text
}

function sourcesOf(folder) {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.(test|fixture|d)\.ts$/.test(file))
    .filter((file) => !/(codes|codesMarkdown|text)\.ts$/.test(file))
    .map((file) => join(folder, file))
    .sort()
}

function shuffled(list, seed) {
  let state = seed >>> 0
  const next = (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state % below
  }
  const out = [...list]
  for (let at = out.length - 1; at > 0; at--) {
    const other = next(at + 1)
    ;[out[at], out[other]] = [out[other], out[at]]
  }
  return out
}

const options = {
  compilerOptions: {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    verbatimModuleSyntax: true,
    rewriteRelativeImportExtensions: true,
  },
}

function transpiled(text) {
  return ts.transpileModule(text, options).outputText
}

/** What stands in for vitest: its matchers, and tests that run one after the other. */
const standIn = `
import * as chai from 'chai'
import { JestAsymmetricMatchers, JestChaiExpect, JestExtend } from '@vitest/expect'
for (const plugin of [JestExtend, JestChaiExpect, JestAsymmetricMatchers]) chai.use(plugin)
chai.util.addMethod(chai.Assertion.prototype, 'toMatchFileSnapshot', () => {})
export const expect = chai.expect
const queue = []
export const test = (name, run) => queue.push(run)
test.each = (rows) => (name, run) =>
  rows.forEach((row) => queue.push(() => (Array.isArray(row) ? run(...row) : run(row))))
export const it = test
export const describe = (name, define) => define()
describe.each = (rows) => (name, define) =>
  rows.forEach((row) => (Array.isArray(row) ? define(...row) : define(row)))
export const beforeEach = () => {}
export const runAll = async () => {
  for (const run of queue) await run()
}
`
const runner = `
import { runAll } from 'vitest'
for (const file of process.argv.slice(2)) await import(file)
await runAll()
`

/** A transpiled copy of the core with its tests. */
function workshop() {
  const home = mkdtempSync(join(tmpdir(), 'mutate-'))
  for (const file of readdirSync(join(root, 'src', 'core'), {
    recursive: true,
    encoding: 'utf8',
  })) {
    const from = join(root, 'src', 'core', file)
    const to = join(home, 'src', 'core', file)
    mkdirSync(dirname(to), { recursive: true })
    if (file.endsWith('.json')) cpSync(from, to)
    if (file.endsWith('.ts')) {
      writeFileSync(to.replace(/ts$/, 'js'), transpiled(readFileSync(from, 'utf8')))
    }
  }
  writeFileSync(join(home, 'package.json'), '{"type":"module"}')
  writeFileSync(join(home, 'run.js'), runner)
  const modules = join(home, 'node_modules')
  mkdirSync(join(modules, 'vitest'), { recursive: true })
  writeFileSync(join(modules, 'vitest', 'package.json'), '{"type":"module","main":"index.js"}')
  writeFileSync(join(modules, 'vitest', 'index.js'), standIn)
  for (const name of ['chai', 'fast-check', '@vitest', 'pure-rand']) {
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  return home
}

/** Tests beside the sources that say nothing about text files of other folders. */
function testsOf(home, folder) {
  return readdirSync(join(home, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.js') && !/\.(property|sources)\.test\.js$/.test(file))
    .map((file) => join(home, folder, file))
    .sort()
}

function isNoticed(home, folder) {
  const args = [join(home, 'run.js'), ...testsOf(home, folder)]
  return spawnSync(process.execPath, args, { timeout: 60_000, encoding: 'utf8' })
}

const all = folders.flatMap(sourcesOf).flatMap(mutantsOf)
const sample = Number(values.sample)
const chosen = sample > 0 ? shuffled(all, Number(values.seed)).slice(0, sample) : all
const home = workshop()
const until = Date.now() + Number(values.minutes) * 60_000
const results = []
try {
  for (const folder of folders) {
    const clean = isNoticed(home, folder)
    if (clean.status !== 0) throw new Error(`${folder} fails without a change: ${clean.stderr}`)
  }
  for (const mutant of chosen) {
    if (Date.now() > until) break
    const path = join(home, mutant.file.replace(/ts$/, 'js'))
    const text = readFileSync(join(root, mutant.file), 'utf8')
    writeFileSync(
      path,
      transpiled(text.slice(0, mutant.start) + mutant.to + text.slice(mutant.end)),
    )
    const folder = folders.find((each) => mutant.file.startsWith(each))
    const killed = isNoticed(home, folder).status !== 0
    results.push({ ...mutant, killed })
    writeFileSync(path, transpiled(text))
    if (!killed && !values.json) {
      const place = `${relative('.', mutant.file)}:${mutant.line}`
      console.log(`survived ${place} ${mutant.what}: ${mutant.from} -> ${mutant.to}`)
    }
  }
} finally {
  rmSync(home, { recursive: true, force: true })
}
const killed = results.filter((each) => each.killed).length
const score = results.length === 0 ? 0 : (100 * killed) / results.length
if (values.json) {
  console.log(JSON.stringify({ mutants: all.length, tried: results.length, killed, results }))
} else {
  console.log(`${killed} of ${results.length} killed (${score.toFixed(1)}%); ${all.length} mutants`)
}

// What is wrong with the house: circles between files, exports and files that nobody uses, packages
// that nothing needs, classes that know too many others, and source that is written twice.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, resolve } from 'node:path'
import { toolOptions } from './toolOptions.mjs'

const usage = `npm run house -- [folder]

Prints what is wrong with the house and ends with 1, or says that it is in order:

  circles      files that import each other, however far around
  exports      names that no other file takes
  files        sources that no program, test or script reaches
  packages     in package.json, and named nowhere
  classes      of the product that know more than 12 others
  twice        75 equal tokens or more in two places of what is no test`

/** Programs and what others may import: whatever they export is used by somebody else. */
const entries = [
  'src/cli/main.ts',
  'src/client/client.ts',
  'lab/sim/packagedSimulator.ts',
  'src/mcp/serveMcp.ts',
  'src/fleet/fleetProgram.ts',
  'src/monitor/page/main.tsx',
  'src/monitor/page/fleet/main.tsx',
  'lab/main.ts',
  'lab/storm/main.ts',
  'lab/fleetStorm/main.ts',
  'lab/sim/model/main.ts',
  'test/fuzz/main.ts',
  'test/takeovers/main.ts',
  'vitest.config.ts',
]

/** So many equal tokens in a row are no chance; imports and comments are not counted. */
const twiceTokens = 75
/** So many others a class may know: who reads it has to know them too. */
const collaboratorsMax = 12
const isTest = (file) => /\.(test|fixture)\.tsx?$/.test(file) || file.startsWith('test/')
const isDirect = process.argv[1] === import.meta.filename
if (isDirect) {
  const { paths } = toolOptions(usage, {}, process.argv.slice(2), true)
  const findings = houseFindings(resolve(paths[0] ?? join(import.meta.dirname, '..')))
  for (const finding of findings) console.log(finding)
  console.log(findings.length === 0 ? 'the house is in order' : `${findings.length} findings`)
  process.exit(findings.length === 0 ? 0 : 1)
}

/** Every finding in the project at `root`, one line each; none where all is in order. */
function houseFindings(root) {
  const sources = readSources(root)
  return [
    ...circles(sources),
    ...deadExports(sources),
    ...unreachedFiles(sources),
    ...unusedPackages(root, sources),
    ...crowdedClasses(sources),
    ...writtenTwice(sources),
  ]
}

/** Path, text and imports of every source file, by its path from the root. */
function readSources(root) {
  const folders = ['src', 'lab', 'test', 'scripts', 'examples'].filter((folder) =>
    existsSync(join(root, folder)),
  )
  const paths = folders
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
        join(folder, file),
      ),
    )
    .concat(['vitest.config.ts'].filter((file) => existsSync(join(root, file))))
    .filter((path) => /\.(tsx?|mjs|cjs)$/.test(path) && !/node_modules|\.d\.ts$/.test(path))
  const known = new Set(paths)
  const sources = paths.map((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)]
      .map((match) => normalize(join(dirname(path), match[1])))
      .filter((target) => known.has(target))
    return [path, { text, imports, code: withoutComments(text) }]
  })
  return new Map(sources)
}

function withoutComments(text) {
  return text.replace(/\/\*[\s\S]*?\*\/|(?<![:'"`\\])\/\/.*$/gm, '')
}

/** Each finding names files that all reach each other by imports (components by Tarjan's way). */
function circles(sources) {
  const found = []
  const order = new Map()
  const lowest = new Map()
  const stack = []
  const visit = (path) => {
    order.set(path, order.size)
    lowest.set(path, order.get(path))
    stack.push(path)
    for (const next of sources.get(path).imports) {
      if (!order.has(next)) visit(next)
      if (stack.includes(next)) lowest.set(path, Math.min(lowest.get(path), lowest.get(next)))
    }
    if (lowest.get(path) !== order.get(path)) return
    const circle = stack.splice(stack.indexOf(path))
    if (circle.length > 1) found.push(`circle: ${circle.sort().join(', ')}`)
  }
  for (const path of sources.keys()) if (!order.has(path)) visit(path)
  return found
}

function deadExports(sources) {
  const importers = new Map([...sources.keys()].map((path) => [path, []]))
  for (const [path, { imports }] of sources) {
    for (const target of new Set(imports)) importers.get(target).push(path)
  }
  const declared =
    /^export (?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm
  return [...sources].flatMap(([path, { code }]) => {
    if (entries.includes(path) || /\.(mjs|cjs)$/.test(path)) return []
    return [...code.matchAll(declared)].flatMap(([, name]) => {
      const word = new RegExp(`\\b${name}\\b`, 'g')
      const users = importers.get(path).filter((user) => sources.get(user).code.match(word))
      return users.length > 0 ? [] : [`export: ${path}: ${name} is taken by no other file`]
    })
  })
}

/** Tests and scripts are reached by their runners. */
function unreachedFiles(sources) {
  const reached = new Set()
  const visit = (path) => {
    if (reached.has(path)) return
    reached.add(path)
    for (const next of sources.get(path).imports) visit(next)
  }
  // Programs that another one starts by its name, such as a child process of a test.
  const texts = [...sources.values()].map(({ code }) => code)
  for (const path of sources.keys()) {
    const name = path.split('/').at(-1)
    const isStarted = texts.some((code) => code.includes(`'${name}'`) || code.includes(`/${name}'`))
    const isRun = /\.test\.tsx?$|^(scripts|examples)\//.test(path) || entries.includes(path)
    if (isRun || isStarted) visit(path)
  }
  return [...sources.keys()]
    .filter((path) => !reached.has(path))
    .map((path) => `file: ${path} is reached by nothing`)
}

function unusedPackages(root, sources) {
  const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const settings = ['vitest.config.ts', 'eslint.config.js', 'test/clients/vitest.config.ts']
  // Named by vitest itself: what counts its coverage, and what it transforms sources with.
  const carried = own.devDependencies?.vitest === undefined ? [] : ['@vitest/coverage-v8', 'vite']
  const texts = [
    JSON.stringify(own.scripts ?? {}),
    ...settings
      .filter((file) => existsSync(join(root, file)))
      .map((file) => readFileSync(join(root, file), 'utf8')),
    ...[...sources.values()].map(({ text }) => text),
  ]
  const named = { ...own.dependencies, ...own.devDependencies, ...own.optionalDependencies }
  return Object.keys(named)
    .filter(
      (name) => !name.startsWith('@types/') && !carried.includes(name) && !isNamed(name, texts),
    )
    .map((name) => `package: ${name} is needed by nothing`)
}

function isNamed(name, texts) {
  const word = new RegExp(`['"/ ]${name.replaceAll('/', '\\/')}(?:['"/ ]|$)`, 'm')
  return texts.some((text) => word.test(text))
}

/**
 * Classes whose fields and constructor name too many classes and interfaces of other files. Values,
 * such as a price or a time, are not counted.
 */
function crowdedClasses(sources) {
  return [...sources].flatMap(([path, { code }]) => {
    if (isTest(path) || !path.startsWith('src/')) return []
    const known = importedClasses(path, code, sources)
    return [...code.matchAll(/^(?:export )?(?:abstract )?class (\w+)[\s\S]*?^}/gm)].flatMap(
      ([body, name]) => {
        const used = new Set(heldBy(body).match(/\b[A-Z]\w+/g) ?? [])
        const others = [...used].filter((each) => known.has(each))
        if (others.length <= collaboratorsMax) return []
        return [`class: ${path}: ${name} knows ${others.length} others: ${others.join(', ')}`]
      },
    )
  })
}

/** The classes and interfaces that a file imports, but for those of plain values. */
function importedClasses(path, code, sources) {
  const found = new Set()
  for (const [, names, from] of code.matchAll(/^import (?:type )?{([^}]*)} from '(\.[^']+)'/gm)) {
    const target = normalize(join(dirname(path), from))
    const declared = sources.get(target)?.code ?? ''
    if (target.startsWith('src/core/values/')) continue
    for (const [name] of names.matchAll(/\w+/g)) {
      if (new RegExp(`^export (?:abstract )?(?:class|interface) ${name}\\b`, 'm').test(declared)) {
        found.add(name)
      }
    }
  }
  return found
}

/** The types of a class's fields, what it makes for them, and what its constructor is given. */
function heldBy(body) {
  const fields =
    /^  (?:(?:private|protected|readonly|static) )*#?\w+(?:: [^=\n(]+|(?= = ))(?: = (?:new )?\w+)?/gm
  const constructor = /^  constructor\([^]*?\) {/m.exec(body)?.[0] ?? ''
  return [...body.matchAll(fields)].map(([text]) => text).join('\n') + constructor
}

/** Runs of equal tokens, each told once, at the place where they begin. */
function writtenTwice(sources) {
  const seen = new Map()
  const found = []
  for (const [path, { code }] of sources) {
    if (isTest(path) || !/^(src|lab)\//.test(path)) continue
    const tokens = tokensOf(code)
    let skipUntil = -1
    for (let at = 0; at + twiceTokens <= tokens.length; at += 1) {
      const window = tokens.slice(at, at + twiceTokens)
      const key = window.map(({ token }) => token).join(' ')
      const before = seen.get(key)
      if (before === undefined) {
        seen.set(key, { path, at, line: window[0].line })
        continue
      }
      const isItself = before.path === path && at - before.at < twiceTokens
      if (at <= skipUntil || isItself) continue
      found.push(`twice: ${path}:${window[0].line} and ${before.path}:${before.line}`)
      skipUntil = at + twiceTokens
    }
  }
  return found
}

function tokensOf(code) {
  const text = code.replace(/^import [^;]*? from '[^']+'$/gm, (whole) =>
    '\n'.repeat(whole.split('\n').length - 1),
  )
  const tokens = []
  let line = 1
  for (const [token] of text.matchAll(/\n|\w+|'[^'\n]*'|`[^`]*`|[^\s\w]/g)) {
    if (token === '\n') line += 1
    else tokens.push({ token, line })
    if (token.startsWith('`')) line += token.split('\n').length - 1
  }
  return tokens
}

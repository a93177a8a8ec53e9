// Node's module hooks for the suite: where its imports lead, and its TypeScript as JavaScript.
// Changed in its text are the pauses between tests, which keep the live venue's rate limits, and the
// names of builder dexes that the simulator does not have.
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { importMap, placeOf, readAddress } from './specifiers.mjs'

let settings
let map
let typescript

export function initialize(data) {
  settings = data
  map = importMap(data.suite)
  typescript = createRequire(join(data.root, 'package.json'))('typescript')
}

export async function resolve(specifier, context, next) {
  const self = selfImport(specifier)
  if (self !== null) return { url: self, shortCircuit: true }
  const parent = context.parentURL ?? ''
  if (!parent.startsWith(pathToFileURL(settings.suite).href)) return next(specifier, context)
  const address = readAddress(mapped(specifier))
  if (address === null) return next(specifier, context)
  const [where, name] = placeOf(address)
  if (where === 'conformance') return { url: besides(name), shortCircuit: true }
  if (where === 'package') return { url: ofPackage(name), shortCircuit: true }
  if (name === 'typescript') return { url: besides('typescript.mjs'), shortCircuit: true }
  const from = where === 'project' ? settings.root : settings.packages
  return next(name, { ...context, parentURL: pathToFileURL(join(from, 'x.mjs')).href })
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context)
  const text = readFileSync(fileURLToPath(url), 'utf8')
  const unhurried = text.replace(/^const WAIT = \d[\d_]*;/m, 'const WAIT = 0;')
  const named = unhurried.replace(/\b(dex|destinationDex): "([a-z]+)"/gi, knownDex)
  const { outputText } = typescript.transpileModule(named, {
    compilerOptions: { target: 'ESNext', module: 'ESNext', isolatedModules: true },
  })
  return { format: 'module', source: outputText, shortCircuit: true }
}

/** A builder dex that the simulator does not have is asked for as the venue's own. */
function knownDex(text, field, name) {
  return settings.dexes.includes(name) ? text : `${field}: ""`
}

/** The client imports itself by its own name: that is the checkout, not an installed package. */
function selfImport(specifier) {
  if (specifier !== map.name && !specifier.startsWith(`${map.name}/`)) return null
  const file = map.exports[`.${specifier.slice(map.name.length)}`]
  return file === undefined ? null : pathToFileURL(join(settings.suite, file)).href
}

/** An import by a name of the import map, the longest first: `@noble/hashes/sha3.js`. */
function mapped(specifier) {
  const names = Object.keys(map.imports).sort((a, b) => b.length - a.length)
  const name = names.find((each) => specifier === each || specifier.startsWith(`${each}/`))
  return name === undefined ? specifier : `${map.imports[name]}${specifier.slice(name.length)}`
}

function besides(file) {
  return new URL(`./${file}`, import.meta.url).href
}

/** The client's npm package carries the two modules of Deno's library that it needs. */
function ofPackage(name) {
  const [library, ...path] = name.split('/')
  const folder = join(settings.root, 'node_modules', map.name, 'esm', 'deps', 'jsr.io', '@std')
  const [version] = readdirSync(join(folder, library))
  const file = `${path.join('/').replaceAll('-', '_')}.js`
  return pathToFileURL(join(folder, library, version, file)).href
}

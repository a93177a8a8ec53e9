import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..', 'src')

/** A folder may import itself and folders of a smaller rank; equal ranks do not know each other. */
const ranks: Record<string, number> = {
  'core/values': 1,
  'core/protocol': 2,
  'core/rules': 2,
  'core/events': 3,
  'core/venueLimits': 3,
  'core/account': 3,
  'core/judge': 4,
  'core/safety': 4,
  crypto: 3,
  sim: 4,
  engine: 5,
  journal: 6,
  venue: 6,
  gateway: 6,
  alerts: 6,
  monitor: 6,
  client: 6,
  config: 6,
  system: 6,
  storm: 7,
  redteam: 7,
  cli: 8,
}
/** What the simulator must not share with Guard, nor an attacker know of it, whatever its rank. */
const forbidden: Record<string, readonly string[]> = {
  sim: [
    'core/rules',
    'core/events',
    'core/venueLimits',
    'core/account',
    'core/judge',
    'core/safety',
  ],
  redteam: [
    'core/rules',
    'core/events',
    'core/venueLimits',
    'core/account',
    'core/judge',
    'core/safety',
    'engine',
    'journal',
    'venue',
    'gateway',
    'sim',
  ],
}

const banned: readonly { where: RegExp; what: RegExp; instead: string }[] = [
  { where: /^(core|engine|sim\/engine)\//, what: /\bDate\.now\(/, instead: 'take the Clock' },
  {
    where: /^(core|engine|sim)\//,
    what: /\bMath\.random\(/,
    instead: 'take the Random port or a seed',
  },
  {
    where: /^core\//,
    what: /from 'node:|\basync\b|\bawait\b|\bsetTimeout\(/,
    instead: 'core is pure and synchronous',
  },
  { where: /^core\//, what: /\bparseFloat\(|\bNumber\(|\btoFixed\(/, instead: 'Decimal' },
]

const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !/\.(test|fixture|d)\.tsx?$/.test(file))
  .filter((file) => !file.startsWith('monitor/page/'))

function folderOf(file: string): string {
  const [first = '', second = ''] = file.split('/')
  return first === 'core' ? `core/${second}` : first
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(/from '(\.[^']+)'|import\('(\.[^']+)'\)/g)].map((match) =>
    relative(root, resolve(root, dirname(file), match[1] ?? match[2] ?? '')),
  )
}

test('every file lives in a known folder', () => {
  expect(files.filter((file) => ranks[folderOf(file)] === undefined)).toEqual([])
})

test('imports only go down', () => {
  const wrong = files.flatMap((file) => {
    const folder = folderOf(file)
    return importsOf(file)
      .map(folderOf)
      .filter((target) => target !== folder)
      .filter(
        (target) =>
          (ranks[target] ?? Infinity) >= (ranks[folder] ?? 0) ||
          forbidden[folder]?.includes(target),
      )
      .map((target) => `${file} imports ${target}`)
  })
  expect(wrong).toEqual([])
})

test('nothing banned is said', () => {
  const wrong = files.flatMap((file) =>
    banned
      .filter(({ where, what }) => where.test(file) && what.test(code(file)))
      .map(({ what, instead }) => `${file}: ${String(what)}; instead: ${instead}`),
  )
  expect(wrong).toEqual([])
})

test('a file has at most 400 lines', () => {
  const long = files.filter(
    (file) => readFileSync(join(root, file), 'utf8').split('\n').length > 401,
  )
  expect(long).toEqual([])
})

/** The source without comments: a comment may say what code may not. */
function code(file: string): string {
  return readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
}

import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { python, pythonSkipped } from './drivers/python.ts'
import { account, clientKey, Rig } from './rig.fixture.ts'

const root = resolve(import.meta.dirname, '..', '..')
const pages = join(root, 'docs', 'clients')
const made = join(root, 'tmp', 'clients', 'snippets')
const address = 'http://127.0.0.1:8547'

interface Snippet {
  readonly name: string
  readonly language: string
  readonly text: string
}

const snippets: readonly Snippet[] = readdirSync(pages)
  .filter((file) => file.endsWith('.md'))
  .flatMap((file) => {
    const page = readFileSync(join(pages, file), 'utf8')
    const found = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
    return found.map(([, language = '', text = ''], place) => ({
      name: `${file.replace('.md', '')}-${String(place + 1)}`,
      language,
      text,
    }))
  })

let rig: Rig
beforeAll(async () => {
  rig = await Rig.start()
  mkdirSync(made, { recursive: true })
})
afterAll(() => rig.close())

/** Runs a snippet as it stands on its page, at another port. */
async function run({ name, language, text }: Snippet): Promise<string> {
  const file = join(made, `${name}.${language === 'js' ? 'mjs' : 'py'}`)
  const here = text
    .replaceAll(address, rig.url)
    .replaceAll(address.replace('http', 'ws'), rig.url.replace('http', 'ws'))
  expect(here).not.toContain(':8547')
  writeFileSync(file, here)
  const env = { ...process.env, GUARD_CLIENT_KEY: clientKey, GUARD_ACCOUNT: account }
  const program = language === 'js' ? process.execPath : (python ?? '')
  return (await promisify(execFile)(program, [file], { env, timeout: 150_000 })).stdout
}

test('every page has something to copy, and nothing else is said to run', () => {
  expect(snippets.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['ccxt-1', 'ccxt-2', 'ccxt-3', 'nktkas-1', 'nktkas-2', 'nomeida-1']),
  )
  expect(new Set(snippets.map(({ language }) => language))).toEqual(
    new Set(['js', 'json', 'python', 'rust', 'go']),
  )
})

test.each([
  ['rust', 'rust/src/main.rs'],
  ['go', 'go/main.go'],
])('what is shown in %s stands in the bot that the suite runs', (language, source) => {
  const bot = readFileSync(join(import.meta.dirname, 'drivers', source), 'utf8')
  const shown = snippets.filter((each) => each.language === language)
  expect(shown.length).toBeGreaterThan(0)
  for (const { name, text } of shown) expect(bot, name).toContain(text.trim())
})

const orders = async (): Promise<any[]> => {
  const events: any[] = await rig.get('/guard/events?kind=decision')
  return events.filter(({ action }) => action === 'order')
}

describe.each(snippets.filter(({ language }) => language === 'js'))('$name', (snippet) => {
  test('runs as it stands', async () => {
    const before = (await orders()).length
    const out = await run(snippet)
    expect(out).toMatch(/resting \d+|refused below_minimum/)
    expect((await orders()).length).toBe(before + 1)
    await rig.settle()
    expect(await rig.openOrders()).toHaveLength(0)
  })
})

describe.skipIf(python === null).each(snippets.filter(({ language }) => language === 'python'))(
  `$name (${pythonSkipped})`,
  (snippet) => {
    test('runs as it stands', async () => {
      expect(await run(snippet)).toMatch(/resting \d+|book/)
      await rig.settle()
      expect(await rig.openOrders()).toHaveLength(0)
    })
  },
)

test('Freqtrade’s settings are the ones the suite runs it with', () => {
  const json = snippets.find(({ language }) => language === 'json')?.text ?? ''
  const { exchange } = JSON.parse(json)
  const api = { public: address, private: address }
  expect(exchange).toMatchObject({
    name: 'hyperliquid',
    enable_ws: false,
    ccxt_config: { urls: { api } },
    ccxt_async_config: { urls: { api } },
  })
})

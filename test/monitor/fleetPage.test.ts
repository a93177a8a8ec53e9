import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { fleetMetrics } from '../../src/fleet/watch/fleetMetrics.ts'
import { fleetOf, hostileNames } from '../../src/fleet/watch/fleetState.fixture.ts'
import { openWatchServer } from '../../src/fleet/watch/watchServer.ts'
import { createDoor } from '../../src/gateway/http/door.ts'
import { Registry } from '../../src/gateway/metrics/registry.ts'
import type { FleetState } from '../../src/monitor/fleetState.ts'
import { fleetAssets } from '../../src/monitor/monitorAssets.ts'
import { built, buildTimeoutMs } from '../cli/program.fixture.ts'
import { axeFindings, chromiumPath, launch } from './monitor.fixture.ts'

const pageFolder = join(resolve(import.meta.dirname, '..', '..'), 'dist', 'monitor')

/** The real page in a real browser, served by the watcher's own server; only the fleet is made up. */
describe.skipIf(chromiumPath === null)('the fleet’s page', () => {
  let browser: Browser
  beforeAll(async () => {
    await built()
    browser = await launch()
  }, buildTimeoutMs + 60_000)
  afterAll(async () => {
    await browser.close()
  })

  interface OpenedPage {
    readonly page: Page
    readonly errors: string[]
    readonly asked: string[]
    readonly url: string
    show(changes: Partial<FleetState>): void
    gone(): Promise<void>
  }

  async function openFleet(
    count = 200,
    context: BrowserContextOptions = {},
    first: Partial<FleetState> = {},
  ): Promise<OpenedPage> {
    let state = fleetOf(count, first)
    const server = await openWatchServer({
      ...{ host: '127.0.0.1', port: 0, assets: fleetAssets(pageFolder), state: () => state },
      ...{ door: createDoor({ host: '127.0.0.1', port: 0, exposed: null }) },
      metrics: fleetMetrics(new Registry()),
    })
    const opened = await browser.newContext({
      ...{ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce', ...context },
    })
    const page = await opened.newPage()
    const errors: string[] = []
    const asked: string[] = []
    page.on('pageerror', (error) => errors.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('ERR_'))
        errors.push(message.text())
    })
    page.on('request', (request) => asked.push(request.url()))
    onTestFinished(async () => {
      await opened.close()
      await server.close()
    })
    await page.goto(server.url)
    await page.locator('.totals .sums').first().waitFor()
    const show = (changes: Partial<FleetState>): void => {
      state = { ...state, ...changes }
    }
    return { page, errors, asked, url: server.url, show, gone: () => server.close() }
  }

  const rows = (page: Page) => page.locator('.accounts tbody tr')

  test('200 accounts: each a row with its distance to its halts, who needs a look first', async () => {
    const { page, errors, asked, url } = await openFleet()
    expect(await rows(page).count()).toBe(200)
    const first = await rows(page).first().innerText()
    expect(first).toContain('silent')
    expect(first).toContain('account-017')
    const row = await rows(page).filter({ hasText: 'account-008' }).innerText()
    for (const part of ['active', '$10,104.50', '+$19.00', '$120.50', '6.0%', '15.9%', '1 s ago']) {
      expect(row).toContain(part)
    }
    const sums = await page.locator('.totals').innerText()
    for (const part of ['200 accounts', 'Mainnet', 'Testnet', 'Open risk']) {
      expect(sums).toContain(part)
    }
    expect(await page.locator('.kill').innerText()).toContain('latched and flat')
    expect(await page.locator('.decisions tbody tr').count()).toBe(60)
    expect(await page.title()).toBe('KILLED · Guard fleet')
    expect(asked.filter((each) => !each.startsWith(`${url}/`))).toEqual([])
    expect(errors).toEqual([])
  })

  test('whatever a name, a reason or a host says, it stays text', async () => {
    const { page, errors } = await openFleet(20)
    const text = await page.locator('main').innerText()
    for (const name of hostileNames.slice(0, 2)) expect(text).toContain(name)
    expect(text).toContain('right\\u{202e}to-left\\u{7}bell')
    expect(await page.locator('main img, main script').count()).toBe(0)
    expect(errors).toEqual([])
    const wide = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(wide).toBeLessThanOrEqual(1440)
  })

  test('filters by name, account, group, network and state', async () => {
    const { page } = await openFleet()
    await page.getByLabel('State', { exact: true }).selectOption('silent')
    expect(await rows(page).count()).toBe(4)
    await page.getByRole('button', { name: 'clear' }).click()
    await page.getByLabel('Network').selectOption('mainnet')
    expect(await rows(page).count()).toBe(40)
    await page.getByLabel('Group').selectOption('group-0')
    expect(await rows(page).count()).toBe(5)
    await page.getByRole('button', { name: 'clear' }).click()
    await page.getByLabel('Name or account').fill('ACCOUNT-1')
    expect(await rows(page).count()).toBe(100)
    expect(await page.locator('#accounts-title').innerText()).toContain('100 of 200')
    await page.getByLabel('Name or account').fill('nobody')
    await page.getByText('None fits the filter.').waitFor()
  })

  test('changes are drawn as they happen, without a reload', async () => {
    const { page, show } = await openFleet(3, {}, { kills: [], alerts: [] })
    await page.locator('.state.good').waitFor()
    const { members } = fleetOf(3)
    show({ members: members.map((each) => ({ ...each, state: 'silent' as const })) })
    await page.locator('.state.bad').getByText('3 Guards are silent').waitFor()
    show({ members: [], totals: [] })
    await page.getByText('Nobody has joined.').waitFor()
  })

  test('the store is down: since when, and what is shown is old', async () => {
    const { page, show } = await openFleet(5)
    const store = { ...fleetOf(1).store, state: 'down' as const, error: 'gone' }
    show({ store: { ...store, since_ms: Date.parse('2026-11-15T12:34:56Z') } })
    await page.getByText('The store does not answer since 12:34:56 UTC').waitFor()
    await page.getByText('was true at 12:00:00 UTC').waitFor()
    expect(await page.title()).toBe('STORE DOWN · Guard fleet')
    expect(await rows(page).count()).toBe(5)
  })

  test('the watcher is gone: it says so, and keeps the last picture', async () => {
    const { page, gone } = await openFleet(5)
    await gone()
    await page.getByText('The watcher does not answer').waitFor()
    expect(await rows(page).count()).toBe(5)
  })

  const sizes = [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ]
  const cases = sizes.flatMap((viewport) =>
    (['light', 'dark'] as const).map((colorScheme) => ({ viewport, colorScheme })),
  )
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  test.each(cases)(
    'can be used by everyone at $viewport.width px, $colorScheme',
    async (context) => {
      const { page, show } = await openFleet(200, { ...context, bypassCSP: true })
      const wide = await page.evaluate(() => document.documentElement.scrollWidth)
      expect(wide).toBeLessThanOrEqual(context.viewport.width)
      await page.evaluate(axe)
      expect(await axeFindings(page)).toEqual([])
      show({ store: { ...fleetOf(1).store, state: 'down', error: 'gone' } })
      await page.locator('.lost-note').waitFor()
      expect(await axeFindings(page)).toEqual([])
    },
  )
})

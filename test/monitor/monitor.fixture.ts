import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { chromium } from 'playwright-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import type { DecisionBody } from '../../src/core/events/guardEvent.ts'
import type { StatusView } from '../../src/engine/statusView.ts'
import { startRig } from '../../src/gateway/gateway.fixture.ts'
import { fakeStatus, clientKey } from '../../src/gateway/status.fixture.ts'
import type { Rig } from '../../src/gateway/gateway.fixture.ts'
import { monitorAssets } from '../../src/monitor/monitorAssets.ts'

/** The real page in a real browser, served by the real gateway; only Guard and time are fake. */

const root = resolve(import.meta.dirname, '..', '..')
const built = join(root, 'dist', 'monitor')

export const chromiumPath =
  [
    process.env['CHROMIUM'],
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
  ].find((path) => path !== undefined && existsSync(path)) ?? null

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] })
}

interface PageRig extends Rig {
  readonly page: Page
  /** Every address the page asked for. */
  readonly asked: string[]
  /** Errors on the page: exceptions and whatever the policy refused. */
  readonly errors: string[]
  show(changes: Partial<StatusView>): void
}

const calm: Partial<StatusView> = { alerts: [], positions: [] }

/** A page that is looking at a Guard. */
export async function openPage(
  browser: Browser,
  prepare: (rig: Rig) => void = () => undefined,
  context: BrowserContextOptions = {},
): Promise<PageRig> {
  const rig = await startRig({ assets: monitorAssets(built) })
  const show = (changes: Partial<StatusView>): void => {
    rig.guard.statusChanges = { ...rig.guard.statusChanges, ...changes }
  }
  rig.guard.status = () => ({
    ...fakeStatus,
    now_ms: Date.now(),
    ...rig.guard.statusChanges,
    last_seq: rig.reader.lastSeq,
  })
  show(calm)
  prepare(rig)
  const opened = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    ...context,
  })
  const page = await opened.newPage()
  const asked: string[] = []
  const errors: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  page.on('pageerror', (error) => errors.push(error.message))
  await page.exposeFunction('refusedByPolicy', (what: string) => errors.push(what))
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const told = `${event.violatedDirective} refused ${event.blockedURI}`
      void (window as unknown as { refusedByPolicy: (what: string) => void }).refusedByPolicy(told)
    })
  })
  onTestFinished(async () => {
    await opened.close()
    await closeNow(rig)
  })
  await page.goto(rig.gateway.url)
  await page.locator('header .state').waitFor()
  return Object.assign(rig, { page, asked, errors, show })
}

/** Ends every connection at once, as when the process is gone. */
export async function closeNow({ gateway, time }: Pick<Rig, 'gateway' | 'time'>): Promise<void> {
  const closing = gateway.close(0)
  time.advance(1)
  await closing
}

export function decision(text: string, changes: Partial<DecisionBody> = {}): DecisionBody {
  return {
    kind: 'decision',
    via: 'http',
    client: clientKey,
    signed_as: 'testnet',
    nonce: 1_794_700_000_000,
    action: 'order',
    verdict: 'allow',
    code: 'allowed',
    text,
    changes: [],
    change_records: [],
    request: { type: 'order', orders: [{ a: 0, b: true, p: '100', s: '5' }], grouping: 'na' },
    pre: [],
    forward: { type: 'order', orders: [{ a: 0, b: true, p: '100', s: '5' }], grouping: 'na' },
    forward_more: [],
    post: [],
    ...changes,
  }
}

/** The sentences of the decisions that are drawn, newest first. */
export async function sentences(page: Page): Promise<string[]> {
  return page
    .locator('.decisions td.why')
    .evaluateAll((cells) => cells.map((cell) => cell.getAttribute('title') ?? ''))
}

/** What axe calls serious or worse, by rule and place. */
export function axeFindings(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    type Axe = { run(options: object): Promise<{ violations: Violation[] }> }
    type Violation = { id: string; impact: string; nodes: { html: string }[] }
    const { axe: checker } = window as unknown as { axe: Axe }
    const { violations } = await checker.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'],
    })
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`))
  })
}

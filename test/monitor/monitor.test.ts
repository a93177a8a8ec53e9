import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { StatusPosition, StatusView } from '../../src/engine/statusView.ts'
import { FakeReader, startRig, until } from '../../src/gateway/gateway.fixture.ts'
import { fakeStatus } from '../../src/gateway/status.fixture.ts'
import { startGateway } from '../../src/gateway/gateway.ts'
import { built, buildTimeoutMs } from '../cli/program.fixture.ts'
import {
  axeFindings,
  closeNow,
  chromiumPath,
  decision,
  launch,
  openPage,
  sentences,
} from './monitor.fixture.ts'

const [position] = fakeStatus.positions
const other = '0x3333333333333333333333333333333333333333'

if (chromiumPath === null)
  console.warn('the monitor page is not tested: no Chromium found (set CHROMIUM to its path)')

describe.skipIf(chromiumPath === null)('the monitor page', () => {
  let browser: Browser
  beforeAll(async () => {
    await built()
    browser = await launch()
  }, buildTimeoutMs + 60_000)
  afterAll(async () => {
    await browser.close()
  })

  const risk = (changes: Partial<StatusView['risk']>): Partial<StatusView> => ({
    risk: { ...fakeStatus.risk, ...changes },
  })
  const killed: Partial<StatusView> = {
    kill: {
      latched: true,
      reason: 'enough (command line)',
      at_ms: 1_794_700_000_000,
      durable: true,
    },
  }
  const uncovered: StatusPosition = {
    ...(position as StatusPosition),
    stops: [],
    covered: false,
    risk: null,
  }

  describe('shows each state', () => {
    const states: readonly [string, Partial<StatusView>, string, string, string][] = [
      ['active', {}, 'header .state.good', 'Active, all quiet', 'OK · Guard testnet'],
      [
        'active with an alert',
        { alerts: [{ code: 'discrepancy', text: 'SOL: 30 long', since_ms: 1, coin: 'SOL' }] },
        '.alerts li',
        'Changed outside Guard',
        '1 alert · Guard testnet',
      ],
      [
        'halted for the day',
        risk({ state: 'halted_for_day' }),
        'header .state.bad',
        'Halted for the day',
        'HALTED · Guard testnet',
      ],
      [
        'stopped',
        risk({ state: 'stopped' }),
        'header .state.bad',
        'needs a review',
        'STOPPED · Guard testnet',
      ],
      ['killed', killed, 'header .state.bad', 'enough (command line)', 'KILLED · Guard testnet'],
      ['killed, the card', killed, '.kill.latched', 'guard kill release', 'KILLED · Guard testnet'],
      ['paper', { mode: 'paper' }, '.badge.paper', 'paper', 'OK · Guard paper'],
      [
        'mainnet',
        { mode: 'mainnet' },
        '.mainnet-band',
        'Mainnet: real money',
        'OK · Guard MAINNET',
      ],
      [
        'stream down',
        { venue: { ...fakeStatus.venue, stream: 'down' } },
        'header .state.warn',
        'Active, venue stream down',
        'LOOK · Guard testnet',
      ],
      [
        'uncovered position',
        { positions: [uncovered] },
        'tr.uncovered',
        'not covered',
        'LOOK · Guard testnet',
      ],
      [
        'journal broken',
        { journal: { ...fakeStatus.journal, error: 'no space left' } },
        '.plumbing .warning',
        'no space left',
        'LOOK · Guard testnet',
      ],
      ['no positions', {}, '.positions .empty', 'No open positions', 'OK · Guard testnet'],
      ['no decisions', {}, '.decisions .empty', 'No decisions', 'OK · Guard testnet'],
      [
        'account not yet seen',
        risk({ equity: null, day_start_equity: null, daily_loss: null, open_risk: null }),
        '.limits-card',
        'not known yet',
        'LOOK · Guard testnet',
      ],
      [
        'a limit that was reached',
        risk({ state: 'halted_for_day', daily_loss: '0.0612' }),
        '.limits-card',
        'reached: nothing opens until 00:00 UTC',
        'HALTED · Guard testnet',
      ],
      [
        'a kill that is not on disk',
        { kill: { latched: true, reason: 'x', at_ms: 1, durable: false } },
        '.kill .warning',
        'do not stop Guard',
        'KILLED · Guard testnet',
      ],
    ]
    test.each(states)('%s', async (_name, changes, where, text, title) => {
      const { page, errors } = await openPage(browser, (rig) => {
        Object.assign(rig.guard.statusChanges, changes)
      })
      await page.locator(where).filter({ hasText: text }).first().waitFor()
      expect(await page.title()).toBe(title)
      expect(await page.locator('.mainnet-band').count()).toBe(changes.mode === 'mainnet' ? 1 : 0)
      expect(errors).toEqual([])
    })
  })

  test('figures are as a person reads them', async () => {
    const { page } = await openPage(browser, (rig) => {
      const stop = { oid: 1, price: '58800', size: '0.05', owner: 'guard' } as const
      const stops = [stop, { ...stop, oid: 2 }, { ...stop, oid: 3, price: '58000' }]
      rig.guard.statusChanges = { positions: [{ ...(position as StatusPosition), stops }] }
    })
    const row = await page.locator('.positions tbody tr').innerText()
    for (const part of [
      '60,100',
      '$6,010.00',
      '+$10.00',
      'guard ×2 58,800',
      'guard 58,000',
      '3.5%',
      '31.8%',
    ])
      expect(row).toContain(part)
    const limits = await page.locator('.limits-card').innerText()
    for (const part of ['0.99% of 6.00%', '5.02% left', '$120.50 of $600.03', '$479.53 left'])
      expect(limits).toContain(part)
    expect(await page.locator('.equity .figure').innerText()).toContain('$10,000.50')
    expect(await page.locator('.legend').innerText()).toContain('daily loss stop $9,494.00')
    expect(await page.locator('.chart canvas').count()).toBe(1)
  })

  test('changes are drawn as they happen, without a reload', async () => {
    const { page, reader, show } = await openPage(browser)
    reader.add(decision('the first'))
    await page.getByText('the first').waitFor()
    reader.add(decision('no', { verdict: 'veto', code: 'flip', forward: null }))
    await page.locator('.verdict.veto').waitFor()
    expect(await sentences(page)).toEqual(['no', 'the first'])
    reader.add({ kind: 'protect', coins: ['SOL'], actions: [], problems: [], sent: true })
    await page.locator('.timeline').getByText('Protected SOL').waitFor()
    show(killed)
    await page.locator('header').getByText('Kill switch latched').waitFor()
    show({ positions: [position as StatusPosition] })
    await page.locator('.positions').getByText('BTC').waitFor()
  })

  test('text from outside stays text', async () => {
    const { page, reader, errors } = await openPage(browser)
    const text = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
    reader.add(decision(text, { code: text }))
    reader.add({ kind: 'error', text })
    await page.locator('.decisions .why').getByText(text).first().waitFor()
    expect(await page.locator('main img, main script').count()).toBe(0)
    expect(errors).toEqual([])
  })

  test('the other Guards of the host are linked, and nothing but a page is', async () => {
    const { page, show } = await openPage(browser)
    const other = (url: string) => ({ account: `0x${'b'.repeat(40)}`, network: 'testnet', url })
    const others = [other('http://127.0.0.1:8548'), other('javascript:document.title=1')]
    show({ host: { guards: 3, weight_share: 400, floor: 120, others } })
    const row = page.locator('.host-guards')
    await row.getByText('3 Guards, 400 of request weight').waitFor()
    const links = await row
      .locator('a')
      .evaluateAll((all) => all.map((each) => each.getAttribute('href')))
    expect(links).toEqual(['http://127.0.0.1:8548'])
    show({ host: null })
    await row.waitFor({ state: 'detached' })
  })

  test('Guard is gone, and comes back: no gap, nothing twice', async () => {
    const { page, reader, gateway, options, time, errors } = await openPage(browser)
    for (let index = 1; index <= 20; index += 1) reader.add(decision(`event ${index}`))
    await page.getByText('event 20', { exact: false }).first().waitFor()
    await closeNow({ gateway, time })
    await page.getByText('Guard does not answer').waitFor()
    expect(await page.title()).toBe('NO ANSWER · Guard testnet')
    expect(await page.locator('.lost-note').innerText()).toContain('Stops resting at the venue')
    expect(await page.locator('.page.is-lost').count()).toBe(1)
    await page.getByText('Last known: active, all quiet').waitFor()
    for (let index = 21; index <= 60; index += 1) reader.add(decision(`event ${index}`))
    const listen = { ...options.listen, port: gateway.port }
    const again = await startGateway({ ...options, listen })
    try {
      await page.locator('.page:not(.is-lost)').waitFor()
      await until60(page)
      const all = Array.from({ length: 60 }, (_, index) => `event ${60 - index}`)
      expect(await sentences(page)).toEqual(all)
      expect(await page.getByText('events missed').count()).toBe(0)
      expect(errors).toEqual([])
    } finally {
      await closeNow({ gateway: again, time })
    }
  })

  async function until60(page: Page): Promise<void> {
    await page.locator('.decisions td.why[title="event 60"]').waitFor()
  }

  test('an error that Guard reports is an event, and not the end of the stream', async () => {
    const { page, reader, asked } = await openPage(browser)
    reader.add(decision('first'))
    await page.locator('td[title="first"]').waitFor()
    const streams = (): number => asked.filter((url) => /events\?since=\d+$/.test(url)).length
    const before = streams()
    reader.add({ kind: 'error', text: 'a close was refused' })
    await page.locator('.timeline').getByText('a close was refused').waitFor()
    reader.add(decision('second'))
    await page.locator('td[title="second"]').waitFor()
    expect(streams()).toBe(before)
    expect(await page.getByText('events are paused').count()).toBe(0)
  })

  test('events that do not come are said, and read when they come again', async () => {
    const { page, reader } = await openPage(browser)
    const isLive = (url: URL): boolean =>
      url.pathname === '/guard/events' && !url.searchParams.has('source')
    await page.route(isLive, (route) => route.abort())
    await page.reload()
    await page.getByText('events are paused, reconnecting').waitFor()
    reader.add(decision('meanwhile'))
    await page.unroute(isLive)
    await page.locator('td[title="meanwhile"]').waitFor()
    await page.getByText('events are paused').waitFor({ state: 'hidden' })
    expect(await sentences(page)).toEqual(['meanwhile'])
  })

  test('another journal at the same address starts the page over', async () => {
    const { page, reader, gateway, options, time } = await openPage(browser)
    for (let index = 1; index <= 5; index += 1) reader.add(decision(`old ${index}`))
    await page.getByText('old 5').waitFor()
    await closeNow({ gateway, time })
    const fresh = new FakeReader()
    fresh.add(decision('new 1'))
    const guard = Object.assign(Object.create(options.guard) as typeof options.guard, {
      status: () => ({ ...options.guard.status(), started_at_ms: 7, last_seq: fresh.lastSeq }),
    })
    const listen = { ...options.listen, port: gateway.port }
    const again = await startGateway({ ...options, listen, guard, reader: fresh })
    try {
      await page.getByText('new 1').waitFor()
      expect(await sentences(page)).toEqual(['new 1'])
    } finally {
      await closeNow({ gateway: again, time })
    }
  })

  test('ten thousand events leave the page as small and as quick as before', async () => {
    const { page, reader } = await openPage(browser)
    for (let index = 0; index < 200; index += 1) reader.add(decision(`early ${index}`))
    await page.locator('td[title="early 199"]').waitFor()
    const nodes = () => page.evaluate(() => document.querySelectorAll('*').length)
    const before = await nodes()
    // Counts how often the page was drawn, and how much of it changed.
    await page.evaluate(() => {
      const seen = { draws: 0, added: 0 }
      Object.assign(window, { seen })
      new MutationObserver((records) => {
        seen.draws += 1
        for (const record of records) seen.added += record.addedNodes.length
      }).observe(document.querySelector('.decisions table') as Element, {
        childList: true,
        subtree: true,
      })
    })
    const seen = () => page.evaluate(() => ({ ...(window as unknown as { seen: Seen }).seen }))
    for (let index = 0; index < 10_000; index += 1) {
      reader.add(decision(`flood ${index}`))
      // The stream goes out as it would in a busy minute, not as one block.
      if (index % 500 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    await page.locator('td[title="flood 9999"]').waitFor()
    expect(await page.getByText('events missed').count()).toBe(0)
    expect((await sentences(page)).slice(0, 3)).toEqual(['flood 9999', 'flood 9998', 'flood 9997'])
    expect(await nodes()).toBeLessThanOrEqual(before + 50)
    const flood = await seen()
    expect(flood.draws).toBeLessThan(1_000)
    reader.add(decision('one more'))
    await page.locator('td[title="one more"]').waitFor()
    const last = await seen()
    // One event costs a row, however many came before it.
    expect(last.added - flood.added).toBeLessThanOrEqual(3)
  })

  interface Seen {
    readonly draws: number
    readonly added: number
  }

  test('history beyond what the page holds comes from the journal, and stays', async () => {
    const { page, reader } = await openPage(browser, (rig) => {
      for (let index = 1; index <= 1_300; index += 1) rig.reader.add(decision(`event ${index}`))
    })
    await page.locator('td[title="event 1300"]').waitFor()
    expect(await sentences(page)).toHaveLength(100)
    const older = page.locator('button.older')
    for (let clicks = 0; clicks < 20 && (await older.count()) > 0; clicks += 1) {
      const shown = (await sentences(page)).length
      await older.click()
      await page.waitForFunction(
        (count) => document.querySelectorAll('.decisions td.why').length > count,
        shown,
      )
      await page
        .locator('button.older:not([disabled]), .decisions:not(:has(button.older))')
        .waitFor()
    }
    expect((await sentences(page)).at(-1)).toBe('event 1')
    reader.add(decision('event 1301'))
    await page.locator('td[title="event 1301"]').waitFor()
    await older.click()
    await page.locator('td[title="event 1"]').waitFor()
    expect(new Set(await sentences(page)).size).toBe(1_301)
  })

  test('filters by verdict, code, coin and client', async () => {
    const { page } = await openPage(browser, ({ reader }) => {
      const pepe = { type: 'order', orders: [{ a: 1, b: true }], grouping: 'na' }
      reader.add(decision('btc'))
      reader.add(decision('pepe', { request: pepe }))
      reader.add(decision('vetoed', { verdict: 'veto', code: 'flip', forward: null }))
      reader.add(decision('of another', { client: other }))
      reader.add(
        decision('unknown', { client: null, verdict: 'veto', code: 'malformed', request: null }),
      )
    })
    await page.locator('td[title="unknown"]').waitFor()
    const choose = (name: string, value: string) =>
      page.getByLabel(name, { exact: true }).selectOption(value)
    await page.getByRole('option', { name: 'kPEPE' }).waitFor({ state: 'attached' })
    await choose('Coin', 'kPEPE')
    expect(await sentences(page)).toEqual(['pepe'])
    await choose('Coin', '')
    await choose('Verdict', 'veto')
    expect(await sentences(page)).toEqual(['unknown', 'vetoed'])
    await choose('Code', 'flip')
    expect(await sentences(page)).toEqual(['vetoed'])
    await page.getByRole('button', { name: 'clear' }).click()
    await choose('Client', other)
    expect(await sentences(page)).toEqual(['of another'])
    await choose('Verdict', 'resize')
    await page.getByText('No decisions to show').waitFor()
    await page.getByRole('button', { name: 'clear' }).click()
    expect(await sentences(page)).toHaveLength(5)
  })

  const cutDecision = decision('the size was cut', {
    verdict: 'resize',
    code: 'resized',
    changes: ['the size of the BTC buy cut from 5 to 3 by risk_per_trade'],
    pre: [{ type: 'updateLeverage', asset: 0, isCross: false, leverage: 4 }],
    forward: { type: 'order', orders: [{ a: 0, b: true, p: '100', s: '3' }], grouping: 'na' },
  })

  test('a decision in detail: asked and sent on side by side, changes marked, the answer', async () => {
    const { page } = await openPage(browser, ({ reader }) => {
      const { seq } = reader.add(cutDecision)
      const reply = { status: 'ok', response: { type: 'order' } }
      reader.add({ kind: 'sent', decision: seq, index: 1, nonce: 9, ok: true, reply })
    })
    await page.locator('tr.clickable').click()
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    expect(await dialog.locator('pre .removed').allInnerTexts()).toEqual([
      expect.stringContaining('"5"'),
    ])
    expect(await dialog.locator('pre .added').allInnerTexts()).toEqual([
      expect.stringContaining('"3"'),
    ])
    for (const text of ['cut from 5 to 3', 'updateLeverage', 'accepted', '1794700000000'])
      expect(await dialog.innerText()).toContain(text)
    await dialog.getByRole('button', { name: 'close' }).click()
    await dialog.waitFor({ state: 'hidden' })
  })

  test('everything is reached by keyboard', async () => {
    const { page } = await openPage(browser, ({ reader }) => reader.add(cutDecision))
    await page.locator('.row-link').waitFor()
    const focused = () =>
      page.evaluate(() => {
        const at = document.activeElement
        return at?.getAttribute('aria-label') ?? at?.textContent ?? ''
      })
    const visited: string[] = []
    for (let presses = 0; presses < 20; presses += 1) {
      await page.keyboard.press('Tab')
      visited.push(await focused())
      if (visited.at(-1)?.includes('order')) break
    }
    expect(visited).toEqual(expect.arrayContaining(['Verdict', 'Code', 'Coin', 'Client']))
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    expect(await focused()).toContain('close')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    expect(await focused()).toContain('order')
  })

  test('the kill command is copied, and nothing on the page can pull it', async () => {
    const { page, asked } = await openPage(browser, () => undefined, {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await page.getByRole('button', { name: 'Copy the kill command' }).click()
    await page.getByText('copied').waitFor()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied).toMatch(/^guard kill --reason /)
    expect(asked.some((url) => url.includes('/guard/kill'))).toBe(false)
  })

  test('asks nobody but its Guard, and the policy would refuse it', async () => {
    const elsewhere = await startRig()
    const { page, asked, errors, gateway, reader } = await openPage(browser)
    reader.add(decision('x'))
    await page.locator('td[title="x"]').waitFor()
    expect(asked.length).toBeGreaterThan(4)
    expect(asked.filter((url) => !url.startsWith(`${gateway.url}/`))).toEqual([])
    expect(errors).toEqual([])
    // The other way round: the policy is there, and it is seen when it refuses.
    const answer = await page.evaluate(
      (url) => fetch(url).then(String, () => 'refused'),
      `${elsewhere.gateway.url}/guard/status`,
    )
    expect(answer).toBe('refused')
    await until(() => errors.length > 0)
    expect(errors[0]).toContain('connect-src refused')
    await closeNow(elsewhere)
  })

  describe('can be used by everyone', () => {
    const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
    const sizes = [
      { width: 1440, height: 900 },
      { width: 390, height: 844 },
    ]
    const cases = sizes.flatMap((viewport) =>
      (['light', 'dark'] as const).map((colorScheme) => ({ viewport, colorScheme })),
    )
    test.each(cases)('at $viewport.width px, $colorScheme', async (context) => {
      // The checker is put in by the test; the page's own policy would refuse it.
      const { page, show, gateway, time } = await openPage(
        browser,
        (rig) => {
          rig.guard.statusChanges = {
            positions: [uncovered, { ...uncovered, coin: 'ETH', side: 'short' }],
          }
          rig.reader.add(decision('allowed'))
          rig.reader.add(decision('no', { verdict: 'veto', code: 'flip' }))
          rig.reader.add(cutDecision)
          rig.reader.add({ kind: 'error', text: 'something' })
          rig.reader.add({ kind: 'protect', coins: ['BTC'], actions: [], problems: [], sent: true })
        },
        { ...context, bypassCSP: true },
      )
      await page.locator('td[title="allowed"]').waitFor()
      const wide = await page.evaluate(() => document.documentElement.scrollWidth)
      expect(wide).toBeLessThanOrEqual(context.viewport.width)
      await page.evaluate(axe)
      expect(await axeFindings(page)).toEqual([])
      await page.locator('tr:has(.resize) .row-link').click()
      await page.getByRole('dialog').waitFor()
      expect(await axeFindings(page)).toEqual([])
      await page.keyboard.press('Escape')
      show({ ...killed, mode: 'mainnet', alerts: fakeStatus.alerts })
      await page.locator('.mainnet-band').waitFor()
      expect(await axeFindings(page)).toEqual([])
      await closeNow({ gateway, time })
      await page.locator('.lost-note').waitFor()
      expect(await axeFindings(page)).toEqual([])
    })
  })
})

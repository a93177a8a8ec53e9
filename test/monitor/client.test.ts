import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startRig } from '../../src/gateway/gateway.fixture.ts'
import { startGateway } from '../../src/gateway/gateway.ts'
import { built, buildTimeoutMs } from '../cli/program.fixture.ts'
import { chromiumPath, closeNow, launch } from './monitor.fixture.ts'

/** A page of one's own that follows Guard; its title is the last event it has seen. */
const ownPage = (transport: string): string => `
import { createClient } from '/client.js'
const client = createClient({ baseUrl: location.origin })
const seen = []
for await (const { seq } of client.follow(2, { transport: '${transport}' })) {
  seen.push(seq)
  document.title = String(seq)
  if (seq === 40) break
}
const { account } = await client.status()
const none = await client.decision(7)
document.body.textContent = JSON.stringify({ seen, account, none })
document.title = 'done'
`

/** The published client, as a page would load it. */
describe.skipIf(chromiumPath === null)('guard/client in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    await built()
    browser = await launch()
  }, buildTimeoutMs + 60_000)
  afterAll(async () => {
    await browser.close()
  })

  test.each(['sse', 'poll'])(
    'follows by %s from the journal into the present, over a restart, without a gap',
    async (transport) => {
      const client = readFileSync(resolve(import.meta.dirname, '../../dist/client.js'), 'utf8')
      const html = '<!doctype html><title>0</title><script type="module" src="/own.js"></script>'
      const assets = new Map([
        ['/', { type: 'text/html', body: html }],
        ['/own.js', { type: 'text/javascript', body: ownPage(transport) }],
        ['/client.js', { type: 'text/javascript', body: client }],
      ])
      const { gateway, reader, options, time } = await startRig({ assets }, 5)
      reader.addErrors(30)
      const page = await browser.newPage()
      await page.goto(gateway.url)
      const isAt = (title: string) =>
        page.waitForFunction((wanted) => document.title === wanted, title)
      await isAt('30')
      await closeNow({ gateway, time })
      reader.addErrors(8)
      const listen = { ...options.listen, port: gateway.port }
      const again = await startGateway({ ...options, listen })
      await isAt('38')
      reader.addErrors(2)
      await isAt('done')
      const told = JSON.parse((await page.textContent('body')) ?? '')
      expect(told.seen).toEqual(Array.from({ length: 38 }, (_, index) => index + 3))
      expect([told.account, told.none]).toEqual([options.account, null])
      await page.close()
      await closeNow({ gateway: again, time })
    },
  )
})

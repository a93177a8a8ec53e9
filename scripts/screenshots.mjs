// Saves the pictures of the documentation from the running demo: `npm run screenshots`.
// Needs a build and a Chromium (CHROMIUM names it; /usr/bin/chromium by default).
import { spawn } from 'node:child_process'
import { mkdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { chromium } from 'playwright-core'

const root = resolve(import.meta.dirname, '..')
const target = process.argv[2] ?? join(root, 'docs', 'images')
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
const desktop = { width: 1440, height: 920 }
const phone = { width: 390, height: 844 }

mkdirSync(target, { recursive: true })
const demo = spawn(
  process.execPath,
  [join(root, 'bin', 'guard'), 'demo', '--port', '0', '--sim-port', '0'],
  { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, NO_COLOR: '1' } },
)
let told = ''
const waiting = new Set()
demo.stdout.setEncoding('utf8')
demo.stdout.on('data', (text) => {
  told += text
  for (const check of waiting) check()
})

/** Resolves with the match once the demo has said it. */
function said(pattern) {
  return new Promise((found, lost) => {
    const check = () => {
      const match = pattern.exec(told)
      if (match === null) return
      waiting.delete(check)
      found(match)
    }
    waiting.add(check)
    demo.once('exit', () => lost(new Error(`the demo ended before it said ${pattern}`)))
    check()
  })
}

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
try {
  const [, url] = await said(/monitor page\s+(http:\S+)/)
  const light = await open(url, desktop, 'light', 1)
  const dark = await open(url, desktop, 'dark', 1)
  const small = await open(url, phone, 'light', 2)
  await said(/^8\. /m)
  await light.getByText('Protected SOL').first().waitFor()
  // A few steps down: positions are open, and the day's loss is on its way.
  await light.waitForFunction(
    () => Number(document.querySelector('[role=meter]')?.getAttribute('aria-valuenow')) >= 45,
  )
  await save(light, 'monitor-desktop')
  await save(dark, 'monitor-dark')
  await save(small, 'monitor-phone')
  await light.locator('tr:has(.verdict.resize) .row-link').last().click()
  await light.locator('dialog[open]').waitFor()
  await save(light, 'decision-detail')
} finally {
  await browser.close()
  demo.kill('SIGINT')
}

async function open(url, viewport, colorScheme, deviceScaleFactor) {
  const context = await browser.newContext({
    viewport,
    colorScheme,
    deviceScaleFactor,
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  await page.goto(url)
  return page
}

async function save(page, name) {
  const path = join(target, `${name}.png`)
  await page.screenshot({ path })
  console.log(`${path}: ${Math.round(statSync(path).size / 1024)} KB`)
}

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { demoKey, TestVenue } from '../../lab/sim/simulator.fixture.ts'
import { python } from '../clients/drivers/python.ts'

/** Without an interpreter that has the official SDK (`scripts/clients-python.sh`) this is skipped. */
const driver = join(import.meta.dirname, 'trade.py')

test.skipIf(python === null)('the official Python SDK trades on the simulator', async () => {
  const venue = await TestVenue.start()
  try {
    await venue.freeze()
    const { stdout } = await promisify(execFile)(python ?? '', [driver, venue.url, demoKey], {
      timeout: 180_000,
    })
    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toEqual({
      mid: '2486.35',
      book_levels: 20,
      equity: '10000.0',
      universe: ['BTC', 'ETH'],
      market_open: '0.5',
      order_status: 'open',
      by_cloid: '2401.0',
      cancel_by_cloid: 'success',
      cancel: 'success',
      group: 'waitingForFill',
      open_orders: 2,
      post_only: 'Post only order would have immediately matched, bbo was 2486.3@2486.4. asset=1',
      market_close: '0.5',
      positions: 0,
      fills: expect.any(Number),
      transfer: 'ok',
      streamed_fill: '0.5',
      streamed_book: 20,
    })
  } finally {
    await venue.close()
  }
})

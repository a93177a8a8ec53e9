import { ExchangeClient, HttpTransport } from '@nktkas/hyperliquid'
import { privateKeyToAccount } from 'viem/accounts'
import { WebSocket } from 'ws'
import { everyQuestion, everyStream } from '../../lab/sim/clients/everyQuestion.fixture.ts'
import { TestSocket } from '../../lab/sim/simulator.fixture.ts'
import { account, clientKey } from './rig.fixture.ts'
import type { Rig } from './rig.fixture.ts'

interface Told {
  /** What each question was answered with; a question that was refused is not among them. */
  readonly answers: readonly { readonly type: string; readonly answer: unknown }[]
  readonly frames: readonly any[]
}

const eth = 1
const buy = (p: string, tif: 'Ioc' | 'Alo') => ({
  ...{ a: eth, b: true, p, s: '0.01', r: false },
  t: { limit: { tif } },
})

/** All that Guard answers and streams around a trade, and what the venue itself does beside it. */
export async function everythingTold(rig: Rig): Promise<{ guard: Told; venue: Told }> {
  const venueSocket = `${rig.venue.url.replace('http', 'ws')}/ws`
  const sockets = [rig.wsUrl, venueSocket].map((url) => new TestSocket(new WebSocket(url)))
  for (const socket of sockets) {
    await socket.opened
    for (const stream of everyStream(account)) socket.subscribe(stream)
    await socket.settled()
  }
  const transport = new HttpTransport({ apiUrl: rig.url, isTestnet: true })
  const exchange = new ExchangeClient({ transport, wallet: privateKeyToAccount(clientKey) })
  await exchange.updateLeverage({ asset: eth, isCross: false, leverage: 2 })
  for (const order of [buy('4100', 'Ioc'), buy('3900', 'Alo')]) {
    await exchange.order({ orders: [order], grouping: 'na' })
  }
  await rig.settle()
  await rig.venue.control('clock', { advance_ms: 3_600_000 })
  const answers = [await answersOf(rig.url), await answersOf(rig.venue.url)]
  const told = sockets.map(async (socket, nth): Promise<Told> => {
    await socket.settled()
    socket.close()
    return { answers: answers[nth] ?? [], frames: socket.frames }
  })
  const [guard, venue] = await Promise.all(told)
  if (guard === undefined || venue === undefined) throw new Error('two sockets were opened')
  return { guard, venue }
}

async function answersOf(url: string): Promise<Told['answers']> {
  const answers: { type: string; answer: unknown }[] = []
  for (const question of everyQuestion(account)) {
    const response = await fetch(`${url}/info`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(question),
    })
    if (response.ok) answers.push({ type: question['type'], answer: await response.json() })
  }
  return answers
}

import type { Json } from '../../src/core/protocol/action.ts'
import { failed } from '../../src/cli/cliError.ts'

/** The simulator's control interface, as anyone would use it. */
export interface SimControl {
  reset(world: Json): Promise<void>
  price(coin: string, mid: string): Promise<void>
  act(user: string, action: Json): Promise<void>
  /** A deposit, or a withdrawal if negative. */
  flow(user: string, amount: string): Promise<void>
}

export function simControl(url: string): SimControl {
  const post = async (path: string, body: Json): Promise<void> => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw failed(`the simulator refused ${path}: ${await response.text()}`)
  }
  return {
    reset: (world) => post('/sim/reset', world),
    price: (coin, mid) => post('/sim/price', { coin, mid }),
    act: (user, action) => post('/sim/act', { user, action }),
    flow: (user, amount) => post('/sim/flow', { user, amount }),
  }
}

import type { StatusCross, StatusPosition, StatusView } from '../../engine/statusView.ts'
import { forDrawing, money, percent, plain, signedMoney } from './format.ts'
import { status } from './store.ts'

/** What is open, with its stop and the distance to it and to the liquidation. */
export function Positions() {
  const positions = status.value?.positions ?? []
  return (
    <section class="card positions" aria-labelledby="positions-title">
      <h2 id="positions-title">
        Positions <span class="count">{positions.length}</span>
      </h2>
      {positions.length === 0 ? (
        <p class="empty">No open positions.</p>
      ) : (
        <div class="scroll bounded" tabIndex={0} role="region" aria-label="Positions table">
          <table>
            <thead>
              <tr>
                <th>Market</th>
                <th class="num">Size</th>
                <th class="num">Entry</th>
                <th class="num">Mark</th>
                <th class="num">Value</th>
                <th class="num">Profit</th>
                <th class="num">Stop</th>
                <th class="num">To stop</th>
                <th class="num">To liquidation</th>
                <th class="num">At risk</th>
              </tr>
            </thead>
            <tbody>
              {positions.map((each) => (
                <Row key={each.coin} position={each} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <CrossPools />
      <Twaps />
    </section>
  )
}

/** What positions on cross margin lean on together; a Guard of an earlier version tells at most one pool. */
function CrossPools() {
  const { cross = null, cross_pools: pools = cross === null ? [] : [cross] }: Told =
    status.value ?? {}
  return (
    <>
      {pools.map((pool) => (
        <p class="cross-pool" key={pool.dex}>
          Cross margin{poolName(pool)}: {money(pool.collateral)} behind {money(pool.value)};
          liquidated when all of it moves {percent(pool.distance)} against it
        </p>
      ))}
    </>
  )
}

type Told = Partial<Pick<StatusView, 'cross' | 'cross_pools'>>

function poolName({ dex }: Partial<StatusCross>): string {
  return dex == null || dex === '' ? '' : ` on ${dex}`
}

/** What the venue trades by itself; a Guard of an earlier version does not tell it. */
function Twaps() {
  const { twaps = [] }: Partial<Pick<StatusView, 'twaps'>> = status.value ?? {}
  return (
    <>
      {twaps.map((each) => (
        <p class="cross-pool" key={`${each.coin} ${each.id ?? each.size}`}>
          TWAP: {each.coin} {each.side} {plain(each.executed)} of {plain(each.size)} in{' '}
          {each.minutes} minutes
          {each.stop === null ? '' : `, stop ${plain(each.stop)}`}
          {each.reduce_only ? ', only reduces' : ''}
          {each.owner === 'elsewhere' ? ', made elsewhere' : ''}
        </p>
      ))}
    </>
  )
}

function Row({ position }: { readonly position: StatusPosition }) {
  const loosest = loosestStop(position)
  const profit = position.unrealised_pnl.startsWith('-') ? 'down' : 'up'
  return (
    <tr class={position.covered ? '' : 'uncovered'}>
      <th scope="row">
        <span class="market" title={position.coin}>
          {position.coin}
        </span>{' '}
        <span class={`side ${position.side}`}>{position.side}</span>{' '}
        <small>
          {position.leverage}× {position.margin}
        </small>
      </th>
      <td data-name="Size" class="num">
        {plain(position.size)}
      </td>
      <td data-name="Entry" class="num">
        {plain(position.entry_price)}
      </td>
      <td data-name="Mark" class="num">
        {plain(position.mark_price)}
      </td>
      <td data-name="Value" class="num">
        {money(position.value)}
      </td>
      <td data-name="Profit" class={`num ${profit}`}>
        {signedMoney(position.unrealised_pnl)}
      </td>
      <td data-name="Stop" class="num stops">
        <span>
          {pricesOf(position).map(([price, owner]) => (
            <span class="stop" key={`${price} ${owner}`}>
              <small>{owner}</small> {price}
            </span>
          ))}
          {position.covered ? null : <b class="warning">not covered</b>}
        </span>
      </td>
      <td data-name="To stop" class="num">
        {distance(position.mark_price, loosest)}
      </td>
      <td data-name="To liquidation" class="num">
        {distance(position.mark_price, position.liquidation_price)}
      </td>
      <td
        data-name="At risk"
        class="num"
        title="USD lost if its stops are hit. Where orders that would add to it are open, the tightest of the stops it can spare count for those orders."
      >
        {money(position.risk)}
      </td>
    </tr>
  )
}

/** Each price once, with whose stops stand there and how many. */
function pricesOf({ stops }: StatusPosition): (readonly [price: string, owner: string])[] {
  const owners = new Map<string, string[]>()
  for (const { price, owner } of stops) owners.set(price, [...(owners.get(price) ?? []), owner])
  return [...owners].map(([price, all]) => {
    const count = all.length > 1 ? ` ×${all.length}` : ''
    return [plain(price), `${[...new Set(all)].join(', ')}${count}`] as const
  })
}

/** The one that is reached last. */
function loosestStop({ stops, side }: StatusPosition): string | null {
  const sorted = stops.map(({ price }) => price).sort((a, b) => forDrawing(a) - forDrawing(b))
  return (side === 'long' ? sorted[0] : sorted.at(-1)) ?? null
}

/** How far a price is from the mark; drawn, not decided upon. */
function distance(mark: string | null, price: string | null): string {
  if (mark === null || price === null) return '–'
  const from = forDrawing(mark)
  if (!(from > 0)) return '–'
  const ratio = Math.abs(forDrawing(price) - from) / from
  // Beyond that it is only far away.
  return ratio >= 10 ? '> 1,000%' : percent(ratio.toFixed(6), 1)
}

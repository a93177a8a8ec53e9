import type { HabitDesk } from './habitDesk.ts'

/** A person cancels stops at the venue's own page; a bot goes on as if nothing had been. */
export function handOnStops(desk: HabitDesk): void {
  const { chance } = desk
  desk.withPosition((held, market) => {
    const stops = desk.stopsOf(held)
    const some = stops.filter(() => chance.is(0.7))
    const gone = some.length > 0 ? some : stops.slice(0, 1)
    if (gone.length > 0) {
      const cancels = gone.map(({ oid }) => ({ a: market.asset, o: oid }))
      desk.byHand({ type: 'cancel', cancels })
    }
    desk.later(desk.pauseMs(), () => {
      desk.ask({
        ...{ type: 'order', grouping: 'na' },
        orders: [desk.taking(market, held.size.isPositive(), 1_500)],
      })
    })
  })
}

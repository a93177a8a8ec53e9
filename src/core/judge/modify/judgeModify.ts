import type { Stop } from '../../account/stop.ts'
import type { BatchModifyAction, Modify, ModifyAction, Order } from '../../protocol/action.ts'
import type { OpenOrder } from '../../protocol/venueState.ts'
import type { Coin } from '../../values/coin.ts'
import { Decimal } from '../../values/decimal.ts'
import { change } from '../changes.ts'
import type { Change } from '../changes.ts'
import { watchesTriggers } from '../context.ts'
import { checkCoverChange } from '../coverChange.ts'
import type { Decision, EntryDecision, JudgeInput } from '../decision.ts'
import { AccountWithRequest } from '../accountWithRequest.ts'
import type { JudgedEntry } from '../entry/judgeEntry.ts'
import { OrderIds } from '../orderIds.ts'
import { exitReservations } from '../orders/exitStep.ts'
import { entryDecision, entryStep, leverageSteps } from '../orders/judgeOrders.ts'
import type { EntryOutcome } from '../orders/judgeOrders.ts'
import { releaseGuardStop } from '../orders/releaseGuardStop.ts'
import { flips, positionOf } from '../orders/sortOrders.ts'
import { decided, step, vetoed } from '../plan.ts'
import type { Slot, Step } from '../plan.ts'
import type { Refusal } from '../refusal.ts'
import { judgeSpotModify } from '../spot/judgeSpotModify.ts'
import { sellsSpot } from '../spot/spotSell.ts'
import { entryModify } from './modifyEntry.ts'
import { cancelStep, exitModify, placeStep } from './modifyExit.ts'
import type { ExitModify } from './modifyExit.ts'
import { modifyItems } from './modifyItem.ts'
import type { ModifyItem } from './modifyItem.ts'

/** Judges a modify, or a whole batch of them, by its result; one refusal refuses it all. */
export function judgeModify(
  input: JudgeInput,
  action: ModifyAction | BatchModifyAction,
  modifies: readonly Modify[],
): Decision {
  if (
    sellsSpot(
      input,
      modifies.map(({ order }) => order),
    )
  ) {
    return judgeSpotModify(input, action, modifies)
  }
  const items = modifyItems(input, modifies)
  if (!items.ok) return vetoed(items.error)
  const ids = new OrderIds(input.mint, (cloid) => input.account.holderOf(cloid))
  for (const { old } of items.value) {
    // What only reduces may be placed beside the old order, which keeps its id until it is cancelled.
    if (old.isReduceOnly) continue
    ids.giveBack(old.cloid)
    for (const child of old.children)
      ids.giveBack(input.account.order({ oid: child })?.cloid ?? null)
  }
  const work = new Work(input, action, ids)
  for (const item of items.value) {
    const refusal = work.sort(item)
    if (refusal !== null) return vetoed(refusal)
  }
  const refusal = checkCoverChange(input, work.stopsChange())
  if (refusal !== null) return vetoed(refusal)
  const refused = work.judgeEntries()
  if (refused !== null) return vetoed(refused, work.entries)
  return work.decision(modifies.length)
}

/** Collects what the modifies of one request become. */
class Work {
  readonly #input: JudgeInput
  readonly #action: ModifyAction | BatchModifyAction
  readonly #ids: OrderIds
  readonly #draft: AccountWithRequest
  readonly #exits: ExitModify[] = []
  readonly #closes: { readonly item: ModifyItem; readonly held: Decimal }[] = []
  readonly #opening: ModifyItem[] = []
  readonly #outcomes: EntryOutcome[] = []
  readonly #judged: { readonly item: ModifyItem; readonly entry: JudgedEntry }[] = []
  readonly #changes: Change[] = []
  readonly #slots: Slot[] = []
  readonly #main: Step[] = []
  readonly #post: Step[] = []

  constructor(input: JudgeInput, action: ModifyAction | BatchModifyAction, ids: OrderIds) {
    this.#input = input
    this.#action = action
    this.#ids = ids
    this.#draft = new AccountWithRequest(input.account)
  }

  /** What kind of modify it is. */
  sort(item: ModifyItem): Refusal | null {
    if (item.old.isReduceOnly) {
      const isForced = this.#action.alwaysPlace === true
      const exit = exitModify(this.#input, this.#ids, item, isForced)
      if (!exit.ok) return exit.error
      this.#exits.push(exit.value)
      return null
    }
    const position = positionOf(this.#input, item.order)
    const isAgainst = position !== null && position.size.isPositive() !== item.order.isBuy
    const isTrigger = item.order.type.kind === 'trigger'
    const isRefused = isTrigger && !watchesTriggers(this.#input, item.order.asset)
    const refusal =
      isAgainst && !isRefused ? flips(this.#input, position, item.order, item.name) : null
    if (refusal !== null) return refusal
    if (!isAgainst || isTrigger) {
      this.#opening.push(item)
      return null
    }
    this.#closes.push({ item, held: position.size.abs() })
    return null
  }

  stopsChange(): Parameters<typeof checkCoverChange>[1] {
    const removed = new Map<number, OpenOrder>()
    const added: { coin: Coin; stop: Stop }[] = []
    for (const exit of this.#exits) {
      removed.set(exit.item.old.oid, exit.item.old)
      if (exit.added !== null) added.push(exit.added)
    }
    return { removed, misnamed: new Set(), added, kind: 'modify' }
  }

  /** Takes the old entries out, then judges the new ones, each seeing those before it. */
  judgeEntries(): Refusal | null {
    for (const item of this.#replacedEntries()) this.#draft.remove(item.old)
    for (const item of this.#opening) {
      const outcome = entryModify(this.#input, this.#draft, this.#ids, item)
      this.#outcomes.push(outcome)
      if (!outcome.result.ok) return outcome.result.error
      this.#judged.push({ item, entry: outcome.result.value })
    }
    return null
  }

  get entries(): readonly EntryDecision[] {
    return this.#outcomes.map((each) => entryDecision(this.#input, this.#draft, each))
  }

  decision(count: number): Decision {
    if (this.#action.alwaysPlace === true && this.#opening.length + this.#closes.length > 0) {
      this.#changes.push(change('the flag a removed from the modify', 'a', 'true', null, 'flags'))
    }
    this.#replaceExits()
    const isDirect = this.#modifyDirectly()
    const pre = this.#replaceEntries()
    const isPass = isDirect && this.#action.type === 'modify'
    return decided({
      pre,
      main: this.#main,
      post: this.#post,
      lane: this.#opening.length > 0 ? 'entry' : 'exit',
      changes: [...this.#changes, ...this.#ids.changes],
      entries: this.entries,
      exits: [],
      slots: this.#slots,
      reply:
        this.#action.type === 'modify'
          ? { kind: isPass ? 'pass' : 'default', responseType: 'default' }
          : { kind: 'statuses', responseType: 'order' },
      stripCloids: this.#ids.minted,
      text: `${count === 1 ? 'the modify' : `${count} modifies`}: within every rule`,
      isUnjudged: false,
    })
  }

  /** Judged by the result: no old order is cancelled unless every new one is there. */
  #replaceExits(): void {
    const replaced = this.#exits.filter((each) => each.isReplaced)
    const places: Step[] = []
    for (const modify of replaced) {
      const { place, grouping } = placeStep(this.#input, modify)
      const { old, at } = modify.item
      const text = `order ${old.oid} replaced by a new order and then cancelled: the venue modifies neither triggers nor into an order that is taken at once`
      this.#changes.push(...modify.changes, change(text, 'action', 'modify', 'order', 'replaced'))
      places.push(place)
      this.#post.push(...releaseGuardStop(this.#input, place, [modify.order], grouping))
      this.#slots[at] = { step: place, index: 0 }
    }
    this.#main.push(...places, ...replaced.map((modify) => cancelStep(modify, places)))
  }

  /** Reduce-only orders that the venue modifies itself go by its own modify. */
  #modifyDirectly(): boolean {
    const direct = this.#exits.filter((each) => !each.isReplaced)
    const modifies = direct.map(({ item, order }) => ({ ref: item.ref, order }))
    const [first] = modifies
    if (first === undefined) return false
    const reservations = direct.flatMap(({ item, order }, index) => [
      ...exitReservations(this.#input, order, index, 'na'),
      {
        kind: 'cancel' as const,
        coin: item.market.coin,
        oid: item.old.oid,
        cloid: item.old.cloid,
      },
    ])
    // What only reduces keeps the flag with which the venue takes an order that fills at once.
    const flag = this.#action.alwaysPlace === true ? { alwaysPlace: true as const } : {}
    const sent = step(
      this.#action.type === 'modify'
        ? { type: 'modify', modify: first, ...flag }
        : { type: 'batchModify', modifies, ...flag },
      reservations,
    )
    this.#main.push(sent)
    direct.forEach(({ item }, index) => (this.#slots[item.at] = { step: sent, index }))
    return true
  }

  /** The entries that rest no more: others take their place, or close a position. */
  #replacedEntries(): readonly ModifyItem[] {
    return [...this.#opening, ...this.#closes.map(({ item }) => item)]
  }

  /** Old entries are cancelled together; each new one goes only once that was accepted. */
  #replaceEntries(): readonly Step[] {
    const items = this.#replacedEntries()
    if (items.length === 0) return []
    const cancel = step(
      {
        type: 'cancel',
        cancels: items.map(({ market, old }) => ({ asset: market.asset, oid: old.oid })),
      },
      items.map(({ market, old }) => ({
        kind: 'cancel',
        coin: market.coin,
        oid: old.oid,
        cloid: old.cloid,
      })),
    )
    this.#main.push(cancel)
    for (const { item, held } of this.#closes) this.#close(item, held, cancel)
    const pre = leverageSteps(this.#judged.map(({ entry }) => entry))
    for (const { item, entry } of this.#judged) {
      const text = `order ${item.old.oid} cancelled and placed again with its stop: the venue's modify would lose it`
      this.#changes.push(...entry.changes, change(text, 'action', 'modify', 'order', 'keeps_stop'))
      for (const { refusal } of entry.leftOut) {
        this.#changes.push(change(refusal.text, 'profit', 'resting', null, 'entry_size'))
      }
      const sent = entryStep(entry, null, pre.get(item.market.coin), [cancel])
      this.#main.push(sent)
      this.#slots[item.at] = { step: sent, index: 0 }
    }
    return [...pre.values()]
  }

  #close(item: ModifyItem, held: Decimal, cancel: Step): void {
    const cloid = this.#ids.of(item.order.cloid, item.name)
    const size = Decimal.min(item.order.size, held)
    if (!size.eq(item.order.size)) {
      const text = `the order that replaces ${item.old.oid} cut from ${item.order.size.toString()} to ${size.toString()}, the size of the ${item.market.coin} position`
      this.#changes.push(change(text, 'size', item.order.size, size, 'flip'))
    }
    const order: Order & { cloid: typeof cloid } = {
      ...item.order,
      size,
      isReduceOnly: true,
      cloid,
    }
    const text = `order ${item.old.oid} cancelled and placed again as reduce-only: it closes a position`
    this.#changes.push(change(text, 'reduce_only', 'false', 'true', 'closing'))
    const sent = step(
      { type: 'order', orders: [order], grouping: 'na', builder: null },
      exitReservations(this.#input, order, 0, 'na'),
      [cancel],
    )
    this.#main.push(sent)
    this.#slots[item.at] = { step: sent, index: 0 }
  }
}

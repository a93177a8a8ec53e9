import { useState } from 'preact/hooks'
import { readOlder } from './feed.ts'
import { clockTime, shortAddress } from './format.ts'
import type { DecisionEvent, Filter } from './store.ts'
import {
  choices,
  coinsOf,
  filter,
  firstSeq,
  noFilter,
  selectedSeq,
  shownDecisions,
} from './store.ts'

/** The latest decisions: verdict, code and a plain sentence. */
export function Decisions() {
  const rows = shownDecisions.value
  return (
    <section class="card decisions" aria-labelledby="decisions-title">
      <div class="card-head">
        <h2 id="decisions-title">Decisions</h2>
        <Filters />
      </div>
      {rows.length === 0 ? <p class="empty">No decisions to show.</p> : <Table rows={rows} />}
      <Older />
    </section>
  )
}

function Table({ rows }: { readonly rows: readonly DecisionEvent[] }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Decisions table">
      <table>
        <thead>
          <tr>
            <th>Time</th>
            <th>Verdict</th>
            <th>Request</th>
            <th>Why</th>
            <th>Client</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((each) => (
            <Row key={each.seq} decision={each} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ decision }: { readonly decision: DecisionEvent }) {
  const open = (): void => {
    selectedSeq.value = decision.seq
  }
  return (
    <tr class="clickable" onClick={open}>
      <td>
        <time dateTime={new Date(decision.at_ms).toISOString()}>{clockTime(decision.at_ms)}</time>
      </td>
      <td>
        <span class={`verdict ${decision.verdict}`}>{decision.verdict}</span>
      </td>
      <td class="request">
        <button type="button" class="row-link" onClick={open}>
          {decision.action ?? 'unreadable'} {coinsOf(decision).join(', ')}
        </button>
      </td>
      <td class="why">
        <code>{decision.code}</code> {decision.text}
      </td>
      <td class="client">{shortAddress(decision.client)}</td>
    </tr>
  )
}

function Filters() {
  const set = (change: Partial<Filter>): void => {
    filter.value = { ...filter.value, ...change }
  }
  const current = filter.value
  const isSet = current !== noFilter && Object.values(current).some((value) => value !== '')
  return (
    <form
      class="filters"
      onSubmit={(event) => event.preventDefault()}
      aria-label="Filter decisions"
    >
      <Choice
        name="Verdict"
        value={current.verdict}
        options={['allow', 'resize', 'veto']}
        onChange={(verdict) => set({ verdict })}
      />
      <Choice
        name="Code"
        value={current.code}
        options={choices.value.codes}
        onChange={(code) => set({ code })}
      />
      <Choice
        name="Coin"
        value={current.coin}
        options={choices.value.coins}
        onChange={(coin) => set({ coin })}
      />
      <Choice
        name="Client"
        value={current.client}
        options={choices.value.clients}
        label={shortAddress}
        onChange={(client) => set({ client })}
      />
      {isSet ? (
        <button type="button" onClick={() => (filter.value = noFilter)}>
          clear
        </button>
      ) : null}
    </form>
  )
}

interface ChoiceProps {
  readonly name: string
  readonly value: string
  readonly options: readonly string[]
  readonly label?: (option: string) => string
  readonly onChange: (value: string) => void
}

function Choice({ name, value, options, label, onChange }: ChoiceProps) {
  return (
    <select
      aria-label={name}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      <option value="">{name}: all</option>
      {options.map((option) => (
        <option key={option} value={option}>
          {label === undefined ? option : label(option)}
        </option>
      ))}
    </select>
  )
}

/** History beyond what is in the page comes from the journal. */
function Older() {
  const [isReading, setReading] = useState(false)
  if (firstSeq.value <= 1) return null
  const read = (): void => {
    setReading(true)
    void readOlder().then(() => {
      setReading(false)
    })
  }
  return (
    <button type="button" class="older" onClick={read} disabled={isReading}>
      {isReading ? 'reading the journal' : 'older, from the journal'}
    </button>
  )
}

import { useEffect, useRef } from 'preact/hooks'
import { fullTime } from './format.ts'
import type { DecisionEvent, SentEvent } from './store.ts'
import { decisions, events, selectedSeq } from './store.ts'

/** One decision: what was asked and what went on, side by side, and what came back. */
export function DecisionDetail({ seq }: { readonly seq: number }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    dialog.current?.showModal()
  }, [])
  const decision = decisions.value.find((each) => each.seq === seq)
  if (decision === undefined) return null
  const close = (): void => {
    selectedSeq.value = null
  }
  const onBackdrop = (event: MouseEvent): void => {
    if (event.target === dialog.current) close()
  }
  return (
    <dialog
      ref={dialog}
      class="detail"
      onClose={close}
      onClick={onBackdrop}
      aria-labelledby="detail-title"
    >
      <div class="detail-body">
        <div class="card-head">
          <h2 id="detail-title">
            <span class={`verdict ${decision.verdict}`}>{decision.verdict}</span>{' '}
            <code>{decision.code}</code>
          </h2>
          <button type="button" onClick={close}>
            close
          </button>
        </div>
        {decision.text === decision.changes.join('; ') ? null : (
          <p class="sentence">{decision.text}</p>
        )}
        <Facts decision={decision} />
        {decision.changes.length === 0 ? null : (
          <>
            <h3>What Guard changed</h3>
            <ul class="changes">
              {decision.changes.map((change) => (
                <li key={change}>{change}</li>
              ))}
            </ul>
          </>
        )}
        <div class="side-by-side">
          <div>
            <h3>Asked</h3>
            <Code value={decision.request} against={decision.forward} mark="removed" />
          </div>
          <div>
            <h3>{decision.forward === null ? 'Nothing went on' : 'Sent on'}</h3>
            {decision.forward === null ? null : (
              <Code value={decision.forward} against={decision.request} mark="added" />
            )}
            <Others title="First" actions={decision.pre} />
            <Others title="Also" actions={decision.forward_more} />
            <Others title="After" actions={decision.post} />
          </div>
        </div>
        <Sent seq={seq} />
      </div>
    </dialog>
  )
}

function Facts({ decision }: { readonly decision: DecisionEvent }) {
  return (
    <dl class="facts">
      <dt>When</dt>
      <dd>{fullTime(decision.at_ms)}</dd>
      <dt>Client</dt>
      <dd>
        <code>{decision.client ?? 'not known'}</code>
      </dd>
      <dt>Nonce</dt>
      <dd>
        <code>{decision.nonce ?? 'none'}</code>
      </dd>
      <dt>Event</dt>
      <dd>
        {decision.seq}, by {decision.via}
      </dd>
    </dl>
  )
}

function Others({
  title,
  actions,
}: {
  readonly title: string
  readonly actions: readonly unknown[]
}) {
  return actions.map((action, index) => (
    <div key={index}>
      <h3>{title}</h3>
      <Code value={action} against={action} mark="added" />
    </div>
  ))
}

function Sent({ seq }: { readonly seq: number }) {
  const sent = events.value.filter(
    (event): event is SentEvent => event.kind === 'sent' && event.decision === seq,
  )
  if (sent.length === 0) return <p class="empty">Nothing was sent to the venue for it.</p>
  return (
    <>
      <h3>What the venue answered</h3>
      {sent.map((each) => (
        <div key={each.seq} class="answer">
          <b class={each.ok ? 'up' : 'down'}>{each.ok ? 'accepted' : 'not accepted'}</b>{' '}
          <small>action {each.index}</small>
          <Code value={each.reply} against={each.reply} mark="added" />
        </div>
      ))}
    </>
  )
}

interface CodeProps {
  readonly value: unknown
  readonly against: unknown
  readonly mark: 'added' | 'removed'
}

/** JSON, with the lines that the other side does not have marked. */
function Code({ value, against, mark }: CodeProps) {
  const other = new Set(linesOf(against).map(bare))
  return (
    <pre tabIndex={0}>
      {linesOf(value).map((line, index) => (
        <span key={index} class={against === null || other.has(bare(line)) ? undefined : mark}>
          {`${line}\n`}
        </span>
      ))}
    </pre>
  )
}

function linesOf(value: unknown): string[] {
  return JSON.stringify(value ?? null, null, 2).split('\n')
}

/** Whether a field is the last one is no difference. */
const bare = (line: string): string => line.replace(/,$/, '')

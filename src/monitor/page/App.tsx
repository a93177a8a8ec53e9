import { Alerts } from './Alerts.tsx'
import { Decisions } from './Decisions.tsx'
import { DecisionDetail } from './DecisionDetail.tsx'
import { EquityChart } from './EquityChart.tsx'
import { Header } from './Header.tsx'
import { KillSwitch } from './KillSwitch.tsx'
import { Limits } from './Limits.tsx'
import { Plumbing } from './Plumbing.tsx'
import { Positions } from './Positions.tsx'
import { Timeline } from './Timeline.tsx'
import { link, selectedSeq, status } from './store.ts'

/** One screen: whether to worry, how far each limit is, what is open, what was decided. */
export function App() {
  const isLost = link.value === 'lost'
  return (
    <div class={`page mode-${status.value?.mode ?? 'none'}${isLost ? ' is-lost' : ''}`}>
      <Header />
      <main>
        <section class="column wide">
          <EquityChart />
          <Positions />
          <Decisions />
        </section>
        <aside class="column" aria-label="Limits, alerts and kill switch">
          <Limits />
          <Alerts />
          <KillSwitch />
          <Timeline />
          <Plumbing />
        </aside>
      </main>
      {selectedSeq.value === null ? null : <DecisionDetail seq={selectedSeq.value} />}
    </div>
  )
}

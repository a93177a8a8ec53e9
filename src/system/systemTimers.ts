import type { Timers } from '../engine/ports.ts'

export const systemTimers: Timers = {
  after: (ms, task) => {
    const timer = setTimeout(task, ms)
    return () => {
      clearTimeout(timer)
    }
  },
  every: (ms, task) => {
    const timer = setInterval(task, ms)
    return () => {
      clearInterval(timer)
    }
  },
}

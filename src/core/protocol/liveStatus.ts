/** Whether an order in this status may still fill; every other status, known or not, is its end. */
export function isLiveStatus(status: string): boolean {
  return status === 'open' || status === 'triggered'
}

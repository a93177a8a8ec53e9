import type { Tool } from './tool.ts'
import { killTool } from './tools/kill.ts'
import {
  bookTool,
  candlesTool,
  fillsTool,
  fundingTool,
  marketTool,
  openOrdersTool,
} from './tools/marketData.ts'
import { limitsTool, previewTool } from './tools/preview.ts'
import { eventsTool, explainTool, rulesTool } from './tools/records.ts'
import { statusTool } from './tools/status.ts'
import {
  cancelAllTool,
  cancelOrderTool,
  closePositionTool,
  modifyOrderTool,
  placeOrderTool,
  setLeverageTool,
} from './tools/trading.ts'

const readingTools = [
  statusTool,
  limitsTool,
  previewTool,
  explainTool,
  eventsTool,
  rulesTool,
  marketTool,
  bookTool,
  candlesTool,
  fillsTool,
  fundingTool,
  openOrdersTool,
]
const tradingTools = [
  placeOrderTool,
  modifyOrderTool,
  cancelOrderTool,
  cancelAllTool,
  closePositionTool,
  setLeverageTool,
]

/** The tools of a server: all read, a client key adds the kill switch, and `--trade` the rest. */
export function toolsOf(hasKey: boolean, mayTrade: boolean): readonly Tool[] {
  return [
    ...readingTools,
    ...(hasKey ? [killTool] : []),
    ...(hasKey && mayTrade ? tradingTools : []),
  ]
}

import 'uplot/dist/uPlot.min.css'
import './style.css'
import { render } from 'preact'
import { App } from './App.tsx'
import { follow } from './feed.ts'

const root = document.getElementById('app')
if (root !== null) {
  render(<App />, root)
  follow()
}

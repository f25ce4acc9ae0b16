/**
 * A relying service's page with only a capture element, on its own origin, and the events that the page
 * received.
 */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'

export interface CaptureOrigin {
  readonly url: string
  close(): Promise<void>
}

/**
 * Listens before the appliance does, because the appliance needs its origin. The page's policy is as strict
 * as the kiosk's.
 */
export async function serveCapturePage(appliance: () => string): Promise<CaptureOrigin> {
  const server: Server = createServer((req, res) => {
    const from = appliance()
    const policy = [
      `default-src 'none'; script-src 'self' ${from}; style-src ${from}; connect-src ${from}`,
      `img-src blob:; media-src blob:; require-trusted-types-for 'script'; trusted-types 'none'`,
    ]
    if (req.url === '/page.js') {
      res.setHeader('Content-Type', 'text/javascript')
      return res.end(LISTEN)
    }
    res.setHeader('Content-Type', 'text/html; charset=utf-8')
    res.setHeader('Content-Security-Policy', policy.join('; '))
    return res.end(pageOf(from))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const pageOf = (appliance: string): string => `<!doctype html>
<html lang="en">
  <head>
    <title>A bank</title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <link rel="stylesheet" href="${appliance}/capture/component.css" />
    <script type="module" src="${appliance}/capture/component.js"></script>
    <script src="/page.js"></script>
  </head>
  <body><main><h1>Open an account</h1></main></body>
</html>`

/** Every event of the elements, in order. */
const LISTEN = `
  const heard = (window.heard = [])
  const types = ['camera-ready', 'camera-problem', 'guidance', 'outline', 'shutter', 'ladder', 'side-captured', 'side-wanted',
    'prompt', 'surround', 'progress', 'captured', 'session-over']
  for (const type of types) document.addEventListener(type, ({ detail }) => heard.push({ type, detail, at: performance.now() }))
`

export interface Heard {
  readonly type: string
  readonly detail: Readonly<Record<string, unknown>>
  readonly at: number
}

export const heardOn = (page: Page): Promise<Heard[]> =>
  page.evaluate(() => (globalThis as unknown as { heard: Heard[] }).heard)

/** Inserts the element as HTML would, without waiting. */
export async function placeElement(
  page: Page,
  tag: 'document-capture' | 'portrait-capture',
  attributes: Readonly<Record<string, string>>,
): Promise<void> {
  await page.evaluate(
    ([name, given]) => {
      const element = document.createElement(name)
      for (const [key, value] of Object.entries(given)) element.setAttribute(key, value)
      document.querySelector('main')?.append(element)
    },
    [tag, { autostart: '', ...attributes }] as const,
  )
}

/** The bank's own fonts, and properties of its style sheet under names that our own pages use differently. */
export async function dressLikeBank(page: Page): Promise<void> {
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(`:root { --title: none; --text: 12px; --surface: url(#); --control: 0; --gap: auto; --action: bold }
      body { margin: 16px; font-family: Georgia, serif }`)
    document.adoptedStyleSheets = [sheet]
  })
}

export interface Worn {
  /** Fonts of the element that are not the page's. */
  readonly foreignFonts: readonly string[]
  readonly scrollsSideways: boolean
  /** Null: no picture is visible. */
  readonly picture: { readonly width: number; readonly height: number; readonly bottom: number } | null
  readonly buttons: readonly { readonly text: string; readonly height: number; readonly bottom: number }[]
  readonly words: string
}

/** Measures how a capture element appears on the page. */
export const lookAt = (page: Page): Promise<Worn> =>
  page.evaluate(() => {
    const element = document.querySelector<HTMLElement>('document-capture, portrait-capture')
    const all = element ? [element, ...element.querySelectorAll<HTMLElement>('*')] : []
    const isSeen = (one: Element) => one.checkVisibility({ visibilityProperty: true })
    const own = getComputedStyle(document.body).fontFamily
    const stage = element?.querySelector('.capture-stage')
    const box = stage && isSeen(stage) ? stage.getBoundingClientRect() : null
    return {
      foreignFonts: all
        .filter((one) => isSeen(one) && getComputedStyle(one).fontFamily !== own)
        .map((one) => `${one.tagName}.${one.className}`),
      scrollsSideways: document.documentElement.scrollWidth > innerWidth,
      picture: box && { width: box.width, height: box.height, bottom: box.bottom },
      buttons: [...(element?.querySelectorAll<HTMLElement>('button, summary') ?? [])]
        .filter(isSeen)
        .map((button) => {
          const { height, bottom } = button.getBoundingClientRect()
          return { text: button.innerText, height, bottom }
        }),
      words: element?.innerText ?? '',
    }
  })

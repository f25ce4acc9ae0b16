/**
 * Pages instead of scrolling: a container of class `paged` shows as many of its blocks as fit, and a big
 * "Next" appears in the hand zone. Its children are the blocks, and so are the lines of a list; a screen only
 * divides its text into blocks. The text of a screen is such a container, with its title on every page. A
 * control of class `on-last-page`, which confirms all that is shown, appears with the last page.
 */
import { h } from '../dom.ts'
import type { Translate } from '../locales/index.ts'
import { control } from './controls.ts'

/** Event of the container when it shows another page (bubbles): for speech and the idle clock. */
export const PAGE_TURNED = 'page-turned'

const PAGED = '.paged, .screen > .words:not(.is-whole, :has(.paged))'

/** A last page that is filled less than this looks incomplete. */
const NEARLY_EMPTY = 0.5

/**
 * Assigns rows of blocks to as few pages as possible. If the last page would be nearly empty, it distributes
 * the rows so that the fullest page is as short as possible.
 */
export function cut(heights: readonly number[], gap: number, available: number): number[][] {
  const filled = filledPages(heights, gap, available)
  const last = filled.at(-1) ?? []
  if (filled.length < 2 || measurePage(last, heights, gap) >= available * NEARLY_EMPTY) return filled
  // The height of a page is always the sum of consecutive rows, so these are all candidates.
  const limits = heights.flatMap((_, from) =>
    heights.slice(from).map((__, more) => measurePage(range(from, from + more), heights, gap)),
  )
  return (
    limits
      .filter((limit) => limit < available)
      .sort((a, b) => a - b)
      .map((limit) => filledPages(heights, gap, limit))
      .find((pages) => pages.length === filled.length) ?? filled
  )
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, step) => from + step)

const measurePage = (page: readonly number[], heights: readonly number[], gap: number): number =>
  page.reduce((sum, row) => sum + (heights[row] ?? 0), gap * Math.max(0, page.length - 1))

/** Fills the pages from the top. A row that is higher than the page gets its own page. */
function filledPages(heights: readonly number[], gap: number, available: number): number[][] {
  const pages: number[][] = []
  let used = Infinity
  heights.forEach((height, index) => {
    const page = pages.at(-1)
    if (page && used + gap + height <= available) {
      page.push(index)
      used += gap + height
    } else {
      pages.push([index])
      used = height
    }
  })
  return pages
}

/** Finds the paged containers under `root` as they appear and disappear. */
export function watchPaging(root: HTMLElement, t: Translate): void {
  const known = new Map<HTMLElement, PagedBox>()
  // A child that appears, or a picture that has loaded, changes the zone's need and not its size.
  const hands = new ResizeObserver((entries) => {
    const zones = new Set(entries.map(({ target }) => target.closest<HTMLElement>('.hands')))
    for (const zone of zones) if (zone) makeRoom(zone)
  })
  let isWaiting = false
  let isResting = false
  const look = () => {
    isWaiting = false
    // The arrangement itself changes the page: one run per animation frame is enough.
    isResting = true
    requestAnimationFrame(() => {
      isResting = false
      if (isWaiting) look()
    })
    for (const [element, box] of known) {
      if (root.contains(element) && element.matches(PAGED)) continue
      box.dispose()
      known.delete(element)
    }
    hands.disconnect()
    for (const zone of root.querySelectorAll('.screen > .hands, .screen > .hands > *')) hands.observe(zone)
    for (const element of root.querySelectorAll<HTMLElement>(PAGED)) {
      const box = known.get(element)
      if (box) box.arrange()
      else known.set(element, new PagedBox(element, t))
    }
  }
  new MutationObserver(() => {
    isWaiting = true
    if (!isResting) look()
  }).observe(root, { childList: true, subtree: true, characterData: true })
  look()
}

/**
 * Lets the hand zone grow upwards when large letters need it: slightly out of reach is better than hidden by
 * the bar. The content above it has pages.
 */
function makeRoom(hands: HTMLElement): void {
  const screen = hands.parentElement
  screen?.style.removeProperty('--hand-size')
  // Content that overflows the zone would leave no room above the bar.
  const room = Number.parseFloat(getComputedStyle(hands).paddingBlockEnd) || 0
  const ends = [...hands.children].map((child) => child.getBoundingClientRect().bottom)
  const needed = Math.max(...ends) - hands.getBoundingClientRect().top + room
  if (needed > hands.clientHeight + 1) screen?.style.setProperty('--hand-size', `${needed.toFixed(1)}px`)
}

class PagedBox {
  readonly #box: HTMLElement
  readonly #t: Translate
  readonly #pager = h('nav', { class: 'pager', hidden: true })
  readonly #sizes = new ResizeObserver(() => this.arrange())
  #pages: number[][] = []
  #page = 0
  #drawn = ''

  constructor(box: HTMLElement, t: Translate) {
    this.#box = box
    this.#t = t
    if (box.closest('.hands')) box.after(this.#pager)
    else (box.closest('.screen, dialog') ?? box.parentElement)?.querySelector('.hands')?.prepend(this.#pager)
    this.#sizes.observe(box)
    this.arrange()
  }

  dispose(): void {
    this.#sizes.disconnect()
    this.#pager.remove()
  }

  arrange(): void {
    const blocks = this.#blocks()
    const focused = this.#pager.contains(document.activeElement) ? document.activeElement : null
    for (const block of blocks) block.classList.remove('is-other-page')
    // Hide the pager before measuring: the content may fit without it.
    this.#setPager(false)
    const fits = this.#fits()
    // The pager needs room: measure with the pager in place.
    if (!fits) this.#setPager(true)
    this.#pages = fits ? [blocks.map((_, index) => index)] : this.#cut(blocks)
    this.#page = Math.min(this.#page, this.#pages.length - 1)
    this.#show(blocks)
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true })
  }

  /**
   * Measures the boxes of the blocks: letters that reach slightly beyond their lines are no reason for a
   * page.
   */
  #fits(): boolean {
    const bottoms = [...this.#box.children].map((child) => child.getBoundingClientRect().bottom)
    return Math.max(...bottoms) <= this.#box.getBoundingClientRect().bottom + 1
  }

  #setPager(isThere: boolean): void {
    if (isThere && this.#pager.childElementCount === 0) this.#drawPager(1, 2)
    this.#pager.hidden = !isThere
    const zone = this.#pager.closest<HTMLElement>('.screen > .hands')
    if (zone) makeRoom(zone)
  }

  #cut(blocks: readonly HTMLElement[]): number[][] {
    const gap = Number.parseFloat(getComputedStyle(this.#box).rowGap) || 0
    const rows = groupRows(blocks)
    const pages = cut(
      rows.map((row) => Math.max(...row.map((index) => blocks[index]?.offsetHeight ?? 0))),
      gap,
      this.#box.clientHeight - this.#titles().reduce((sum, title) => sum + title.offsetHeight + gap, 0),
    )
    return pages.map((page) => page.flatMap((row) => rows[row] ?? []))
  }

  #blocks(): HTMLElement[] {
    return [...this.#box.children].flatMap((child) => {
      if (!(child instanceof HTMLElement) || child.tagName === 'H1') return []
      // A list may continue on the next page.
      const lines = child.matches('ol, ul')
        ? [...child.children].filter((line) => line instanceof HTMLElement)
        : []
      return lines.length > 0 ? lines : [child]
    })
  }

  #titles(): HTMLElement[] {
    return [...this.#box.children].filter(
      (child): child is HTMLElement => child instanceof HTMLElement && child.tagName === 'H1',
    )
  }

  #show(blocks: readonly HTMLElement[]): void {
    const shown = new Set(this.#pages[this.#page])
    blocks.forEach((block, index) => block.classList.toggle('is-other-page', !shown.has(index)))
    this.#box.toggleAttribute('data-more-pages', this.#page < this.#pages.length - 1)
    this.#pager.hidden = this.#pages.length < 2
    if (!this.#pager.hidden) this.#drawPager(this.#page + 1, this.#pages.length)
  }

  #drawPager(page: number, pages: number): void {
    const drawn = `${page}/${pages}/${this.#t('pager.next')}`
    // A redraw would take the focus from the button that is being touched.
    if (drawn === this.#drawn) return
    this.#drawn = drawn
    const back = control('secondary', this.#t('pager.back'), () => this.#turn(-1), 'back')
    const next = control('equal', this.#t('pager.next'), () => this.#turn(1), 'next')
    back.classList.toggle('is-absent', page <= 1)
    next.classList.toggle('is-absent', page >= pages)
    const hadFocus = this.#pager.contains(document.activeElement)
    this.#pager.setAttribute('aria-label', this.#t('pager.place', { page, pages }))
    this.#pager.replaceChildren(
      back,
      h('p', { class: 'pager-place' }, this.#t('pager.place', { page, pages })),
      next,
    )
    if (!hadFocus) return
    // The focus of the last page is on the confirming control, not on "Back".
    const confirms = this.#box.closest('.screen')?.querySelector<HTMLElement>('.on-last-page')
    const onward = page < pages ? next : (confirms ?? back)
    onward.focus({ preventScroll: true })
  }

  #turn(by: number): void {
    this.#page = Math.min(Math.max(0, this.#page + by), this.#pages.length - 1)
    this.#show(this.#blocks())
    this.#box.dispatchEvent(new CustomEvent(PAGE_TURNED, { bubbles: true }))
  }
}

/** Groups blocks that are beside each other: they stay on one page. */
function groupRows(blocks: readonly HTMLElement[]): number[][] {
  const rows: number[][] = []
  blocks.forEach((block, index) => {
    const row = rows.at(-1)
    if (row && blocks[row[0] ?? 0]?.offsetTop === block.offsetTop) row.push(index)
    else rows.push([index])
  })
  return rows
}

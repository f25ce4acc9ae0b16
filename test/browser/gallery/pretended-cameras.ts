/** Stand-ins for the capture elements: a drawn picture in place of a camera's, and only the events that a scene tells. */

abstract class PretendedCamera extends HTMLElement {
  session = ''
  base = ''
  upload = false
  speech = false
  calm = false
  translate_ = null
  triedBefore = 0
  colours = 'calm'
  protected abstract draw(context: CanvasRenderingContext2D, width: number, height: number): void
  protected abstract readonly kind: string

  connectedCallback(): void {
    const canvas = document.createElement('canvas')
    const [width, height] = this.kind === 'document' ? [1280, 960] : [1280, 960]
    canvas.width = width
    canvas.height = height
    canvas.setAttribute('role', 'img')
    canvas.setAttribute('aria-label', 'Camera picture')
    canvas.style.inlineSize = '100%'
    canvas.style.blockSize = '100%'
    const context = canvas.getContext('2d')
    if (context) this.draw(context, width, height)
    const stage = document.createElement('div')
    stage.className = `capture-stage is-ready is-${this.kind}`
    stage.style.setProperty('--picture-width', String(width))
    stage.style.setProperty('--picture-height', String(height))
    stage.append(canvas)
    this.replaceChildren(stage)
  }
  async start(): Promise<void> {}
  stop(): void {}
  async abandon(): Promise<void> {}
  async cameras(): Promise<readonly never[]> {
    return []
  }
  async chooseCamera(): Promise<void> {}
  async takePhoto(): Promise<void> {}
  async sendFile(): Promise<void> {}
}

class PretendedDocumentCamera extends PretendedCamera {
  protected readonly kind = 'document'
  protected draw(context: CanvasRenderingContext2D, width: number, height: number): void {
    context.fillStyle = '#2b3138'
    context.fillRect(0, 0, width, height)
    context.fillStyle = '#d8d2c2'
    context.fillRect(width * 0.14, height * 0.18, width * 0.72, height * 0.64)
    context.fillStyle = '#9aa3a9'
    context.fillRect(width * 0.18, height * 0.26, width * 0.18, height * 0.34)
    context.fillStyle = '#39434c'
    context.font = '600 44px sans-serif'
    context.fillText('UTOPIA  SPECIMEN', width * 0.4, height * 0.32)
    for (let y = 0; y < 4; y++)
      context.fillRect(width * 0.4, height * (0.38 + y * 0.06), width * (0.36 - y * 0.05), 10)
    context.font = '36px monospace'
    context.fillText('P<UTOSAMPLE<<ANNA<MARIA<<<<<<<<<<', width * 0.17, height * 0.71)
    context.fillText('L898902C36UTO7408122F1204159<<<<<', width * 0.17, height * 0.77)
    marks(context, width * 0.08, height * 0.1, width * 0.84, height * 0.8)
  }
}

class PretendedPortraitCamera extends PretendedCamera {
  protected readonly kind = 'portrait'
  protected draw(context: CanvasRenderingContext2D, width: number, height: number): void {
    context.fillStyle = '#b9bec2'
    context.fillRect(0, 0, width, height)
    context.fillStyle = '#6f7a82'
    oval(context, width / 2, height * 0.5, height * 0.26, height * 0.34)
    context.fill()
    context.lineWidth = 10
    context.strokeStyle = '#f3f1ea'
    oval(context, width / 2, height * 0.5, height * 0.32, height * 0.43)
    context.stroke()
  }
}

function oval(context: CanvasRenderingContext2D, x: number, y: number, rx: number, ry: number): void {
  context.beginPath()
  context.ellipse(x, y, rx, ry, 0, 0, 2 * Math.PI)
}

function marks(context: CanvasRenderingContext2D, x: number, y: number, w: number, h: number): void {
  context.lineWidth = 8
  context.strokeStyle = '#f3f1ea'
  const arm = 90
  for (const [cx, cy, dx, dy] of [
    [x, y, 1, 1],
    [x + w, y, -1, 1],
    [x + w, y + h, -1, -1],
    [x, y + h, 1, -1],
  ] as const) {
    context.beginPath()
    context.moveTo(cx, cy + dy * arm)
    context.lineTo(cx, cy)
    context.lineTo(cx + dx * arm, cy)
    context.stroke()
  }
}

export function definePretendedCameras(): void {
  customElements.define('document-capture', PretendedDocumentCamera)
  customElements.define('portrait-capture', PretendedPortraitCamera)
}

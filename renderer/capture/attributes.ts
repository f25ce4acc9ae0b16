/** The attributes of the capture elements as properties. The element handles their changes. */

export abstract class CaptureAttributes extends HTMLElement {
  get session(): string {
    return this.getAttribute('session') ?? ''
  }
  set session(id: string) {
    this.setAttribute('session', id)
  }
  get base(): string {
    return this.getAttribute('base') ?? ''
  }
  set base(origin: string) {
    this.setAttribute('base', origin)
  }
  get upload(): boolean {
    return this.hasAttribute('upload')
  }
  set upload(isAllowed: boolean) {
    this.toggleAttribute('upload', isAllowed)
  }
  get speech(): boolean {
    return this.hasAttribute('speech')
  }
  set speech(isOn: boolean) {
    this.toggleAttribute('speech', isOn)
  }
  get calm(): boolean {
    return this.hasAttribute('calm')
  }
  set calm(isOn: boolean) {
    this.toggleAttribute('calm', isOn)
  }
}

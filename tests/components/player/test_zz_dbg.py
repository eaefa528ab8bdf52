import sys; sys.path.insert(0,'/work/main')
from tests.components.player.test_live import *
from tests.components.player import test_live as T
def test_dbg(page, theatre):
    show(page, 15)
    script = page.locator(".script")
    page.wait_for_function(AT_THE_END, arg=script.element_handle())
    info = "n => JSON.stringify({st:n.scrollTop, sh:n.scrollHeight, ch:n.clientHeight, steps:[...n.querySelectorAll('.turns .step, h3, h4')].filter(x=>x.offsetParent).map(x=>Math.round(x.getBoundingClientRect().top + n.scrollTop)+':'+Math.round(x.offsetHeight)).join(' ')})"
    print(script.evaluate(info))
    left_for = script.evaluate_handle(LEAVES_THE_END)
    script.hover(); page.mouse.wheel(0,-20)
    expect(page.get_by_role("button", name="Jump to latest")).to_be_visible()
    print(left_for.evaluate("glide => glide.stands"))
    print(script.evaluate(info))
    for n in (16,17,18):
        theatre.play(n)
        expect(page.locator(".turns .step:visible")).to_have_count(n)
        page.wait_for_timeout(300)
        print(n, script.evaluate(info))

// As if the reader had been there before, and went forward to it: the page hears of that from the browser.
function goTo(address) {
  if (location.pathname + location.search !== address) history.pushState(null, "", address);
  dispatchEvent(new PopStateEvent("popstate"));
}

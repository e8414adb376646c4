// Runs before anything is drawn, so that the page never flashes in the wrong theme or language.
(function () {
  'use strict';
  function kept(key) {
    try {
      return localStorage.getItem(key);
    } catch {
      return null; // storage may be forbidden; the defaults are fine
    }
  }
  var root = document.documentElement;
  var theme = kept('onset.theme');
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
  var lang = kept('onset.lang');
  if (lang !== 'en' && lang !== 'zh') lang = (navigator.language || '').toLowerCase().startsWith('zh') ? 'zh' : 'en';
  root.lang = lang === 'zh' ? 'zh-CN' : 'en';
})();

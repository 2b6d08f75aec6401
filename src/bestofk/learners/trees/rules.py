class RuleSet: pass
